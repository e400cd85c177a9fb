// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tosa_v1/tosa_v1_attributes.h"

#include <algorithm>

namespace okksim::sim::graph {

namespace {

// Largest rank of a permutation: MAX_RANK is 32 without a level, more than any level permits.
constexpr std::size_t kMaxPerms = 32;

template <std::size_t N>
std::array<std::int32_t, N> fixed(const flatbuffers::Vector<std::int32_t>* vector,
                                  const std::string& name, const AttributeFailure& fail) {
    const std::size_t size = vector == nullptr ? 0 : vector->size();
    if (size != N) {
        fail(name,
             "has " + std::to_string(size) + " values; the operator takes " + std::to_string(N));
    }
    std::array<std::int32_t, N> values{};
    std::copy(vector->begin(), vector->end(), values.begin());
    return values;
}

template <typename Result, typename Wire>
Result enumerant(Wire value, Wire last, const std::string& name, const AttributeFailure& fail) {
    if (value > last) {
        fail(name, "has the unknown value " + std::to_string(static_cast<std::uint32_t>(value)));
    }
    return static_cast<Result>(value);
}

DType data_type(wire::DType value, const AttributeFailure& fail) {
    return enumerant<DType>(value, wire::DType::MAX, "acc_type", fail);
}

/// An absent mode is the specification's default.
NanPropagationMode nan_mode(wire::NanPropagationMode value, const AttributeFailure& fail) {
    const auto mode =
        enumerant<NanPropagationMode>(value, wire::NanPropagationMode::MAX, "nan_mode", fail);
    return mode == NanPropagationMode::kUnknown ? NanPropagationMode::kPropagate : mode;
}

ElementBytes element(const flatbuffers::Vector<std::uint8_t>* vector) {
    ElementBytes result;
    if (vector == nullptr) return result;
    result.size = vector->size();
    const std::size_t kept = std::min<std::size_t>(vector->size(), result.bytes.size());
    std::copy_n(vector->begin(), kept, result.bytes.begin());
    return result;
}

std::vector<std::int32_t> perms(const flatbuffers::Vector<std::int32_t>* vector,
                                const AttributeFailure& fail) {
    if (vector == nullptr) return {};
    if (vector->size() > kMaxPerms) {
        fail("perms", "has " + std::to_string(vector->size()) + " values; at most " +
                          std::to_string(kMaxPerms) + " dimensions exist");
    }
    return {vector->begin(), vector->end()};
}

std::string text(const flatbuffers::String* value) {
    return value == nullptr ? std::string() : value->str();
}

CustomAttributes custom(const wire::CustomAttribute& a) {
    CustomAttributes result{text(a.operator_name()), text(a.domain_name()), {}};
    if (const auto* bytes = a.implementation_attrs()) {
        result.implementation_attrs.assign(bytes->begin(), bytes->end());
    }
    return result;
}

Attributes read_tensor_attributes(const wire::TosaOperator& op, const AttributeFailure& fail) {
    switch (op.attribute_type()) {
        case wire::Attribute::ArgMaxAttribute: {
            const auto& a = *op.attribute_as_ArgMaxAttribute();
            return ArgmaxAttributes{a.axis(), nan_mode(a.nan_mode(), fail)};
        }
        case wire::Attribute::AvgPool2dAttribute: {
            const auto& a = *op.attribute_as_AvgPool2dAttribute();
            return AvgPool2dAttributes{
                fixed<2>(a.kernel(), "kernel", fail), fixed<2>(a.stride(), "stride", fail),
                fixed<4>(a.pad(), "pad", fail), data_type(a.acc_type(), fail)};
        }
        case wire::Attribute::Conv2dAttribute: {
            const auto& a = *op.attribute_as_Conv2dAttribute();
            return Conv2dAttributes{fixed<4>(a.pad(), "pad", fail),
                                    fixed<2>(a.stride(), "stride", fail),
                                    fixed<2>(a.dilation(), "dilation", fail), a.local_bound(),
                                    data_type(a.acc_type(), fail)};
        }
        case wire::Attribute::Conv3dAttribute: {
            const auto& a = *op.attribute_as_Conv3dAttribute();
            return Conv3dAttributes{fixed<6>(a.pad(), "pad", fail),
                                    fixed<3>(a.stride(), "stride", fail),
                                    fixed<3>(a.dilation(), "dilation", fail), a.local_bound(),
                                    data_type(a.acc_type(), fail)};
        }
        case wire::Attribute::DepthwiseConv2dAttribute: {
            const auto& a = *op.attribute_as_DepthwiseConv2dAttribute();
            return DepthwiseConv2dAttributes{fixed<4>(a.pad(), "pad", fail),
                                             fixed<2>(a.stride(), "stride", fail),
                                             fixed<2>(a.dilation(), "dilation", fail),
                                             a.local_bound(), data_type(a.acc_type(), fail)};
        }
        case wire::Attribute::TransposeConv2dAttribute: {
            const auto& a = *op.attribute_as_TransposeConv2dAttribute();
            return TransposeConv2dAttributes{fixed<4>(a.out_pad(), "out_pad", fail),
                                             fixed<2>(a.stride(), "stride", fail), a.local_bound(),
                                             data_type(a.acc_type(), fail)};
        }
        case wire::Attribute::MaxPool2dAttribute: {
            const auto& a = *op.attribute_as_MaxPool2dAttribute();
            return MaxPool2dAttributes{
                fixed<2>(a.kernel(), "kernel", fail), fixed<2>(a.stride(), "stride", fail),
                fixed<4>(a.pad(), "pad", fail), nan_mode(a.nan_mode(), fail)};
        }
        case wire::Attribute::FFT2dAttribute: {
            const auto& a = *op.attribute_as_FFT2dAttribute();
            return Fft2dAttributes{a.inverse(), a.local_bound()};
        }
        case wire::Attribute::RFFT2dAttribute:
            return Rfft2dAttributes{op.attribute_as_RFFT2dAttribute()->local_bound()};
        default: return NoAttributes{};
    }
}

Attributes read_reduction_attributes(const wire::TosaOperator& op, const AttributeFailure& fail) {
    switch (op.attribute_type()) {
        case wire::Attribute::ReduceAllAttribute:
            return ReduceAllAttributes{op.attribute_as_ReduceAllAttribute()->axis()};
        case wire::Attribute::ReduceAnyAttribute:
            return ReduceAnyAttributes{op.attribute_as_ReduceAnyAttribute()->axis()};
        case wire::Attribute::ReduceMaxAttribute: {
            const auto& a = *op.attribute_as_ReduceMaxAttribute();
            return ReduceMaxAttributes{a.axis(), nan_mode(a.nan_mode(), fail)};
        }
        case wire::Attribute::ReduceMinAttribute: {
            const auto& a = *op.attribute_as_ReduceMinAttribute();
            return ReduceMinAttributes{a.axis(), nan_mode(a.nan_mode(), fail)};
        }
        case wire::Attribute::ReduceProductAttribute:
            return ReduceProductAttributes{op.attribute_as_ReduceProductAttribute()->axis()};
        case wire::Attribute::ReduceSumAttribute:
            return ReduceSumAttributes{op.attribute_as_ReduceSumAttribute()->axis()};
        default: return read_tensor_attributes(op, fail);
    }
}

Attributes read_other_attributes(const wire::TosaOperator& op, const AttributeFailure& fail) {
    switch (op.attribute_type()) {
        case wire::Attribute::ClampAttribute: {
            const auto& a = *op.attribute_as_ClampAttribute();
            return ClampAttributes{element(a.min_val()), element(a.max_val()),
                                   nan_mode(a.nan_mode(), fail)};
        }
        case wire::Attribute::ArithmeticRightShiftAttribute:
            return ArithmeticRightShiftAttributes{
                op.attribute_as_ArithmeticRightShiftAttribute()->round()};
        case wire::Attribute::MaximumAttribute:
            return MaximumAttributes{
                nan_mode(op.attribute_as_MaximumAttribute()->nan_mode(), fail)};
        case wire::Attribute::MinimumAttribute:
            return MinimumAttributes{
                nan_mode(op.attribute_as_MinimumAttribute()->nan_mode(), fail)};
        case wire::Attribute::ConcatAttribute:
            return ConcatAttributes{op.attribute_as_ConcatAttribute()->axis()};
        case wire::Attribute::ReverseAttribute:
            return ReverseAttributes{op.attribute_as_ReverseAttribute()->axis()};
        case wire::Attribute::TransposeAttribute:
            return TransposeAttributes{perms(op.attribute_as_TransposeAttribute()->perms(), fail)};
        case wire::Attribute::ResizeAttribute:
            return ResizeAttributes{enumerant<ResizeMode>(op.attribute_as_ResizeAttribute()->mode(),
                                                          wire::ResizeMode::MAX, "mode", fail)};
        case wire::Attribute::RescaleAttribute: {
            const auto& a = *op.attribute_as_RescaleAttribute();
            return RescaleAttributes{
                a.scale32(),
                enumerant<RoundingMode>(a.rounding_mode(), wire::RoundingMode::MAX, "rounding_mode",
                                        fail),
                a.per_channel(), a.input_unsigned(), a.output_unsigned()};
        }
        case wire::Attribute::CustomAttribute: return custom(*op.attribute_as_CustomAttribute());
        case wire::Attribute::CondIfAttribute: return CondIfAttributes{};
        case wire::Attribute::WhileLoopAttribute: return WhileLoopAttributes{};
        case wire::Attribute::VariableAttribute:
        case wire::Attribute::VariableWriteAttribute:
        case wire::Attribute::VariableReadAttribute: return VariableAttributes{};
        default: return read_reduction_attributes(op, fail);
    }
}

}  // namespace

Attributes read_attributes(const wire::TosaOperator& op, const AttributeFailure& fail) {
    const auto tag = static_cast<std::uint32_t>(op.attribute_type());
    const auto number = static_cast<std::uint32_t>(op.op());
    const bool is_variable_access =
        op.op() == wire::Op::IDENTITY &&
        (op.attribute_type() == wire::Attribute::VariableReadAttribute ||
         op.attribute_type() == wire::Attribute::VariableWriteAttribute);
    if (tag != number && !is_variable_access) {
        fail("attribute_type", "union tag " + std::to_string(tag) + " (" +
                                   wire::EnumNameAttribute(op.attribute_type()) +
                                   ") does not belong to operator " + wire::EnumNameOp(op.op()) +
                                   ". Files of 1.0 release candidates look like this: write the "
                                   "model again with a TOSA 1.0 tool");
    }
    if (op.attribute() == nullptr) fail("attribute", "the attribute table is missing");
    return read_other_attributes(op, fail);
}

}  // namespace okksim::sim::graph
