// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tosa_v1/tosa_v1_attributes.h"

#include <algorithm>

#include "isa/base/errors.h"

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

/// Reads attribute tables: one overload per attribute struct.
struct AttributeReader {
    const wire::TosaOperator& op;
    const AttributeFailure& fail;

    /// The operator's table in the file.
    template <typename Table>
    const Table& from() const {
        const auto* found = op.attribute_as<Table>();
        OKKSIM_CHECK(found != nullptr);
        return *found;
    }

    template <typename Table, std::size_t kDims, typename Convolution>
    void read_convolution(Convolution& to) const {
        const auto& a = from<Table>();
        to = {fixed<2 * kDims>(a.pad(), "pad", fail), fixed<kDims>(a.stride(), "stride", fail),
              fixed<kDims>(a.dilation(), "dilation", fail), a.local_bound(),
              data_type(a.acc_type(), fail)};
    }

    template <typename Table, typename Extreme>
    void read_extreme(Extreme& to) const {
        to = {from<Table>().axis(), nan_mode(from<Table>().nan_mode(), fail)};
    }

    void operator()(NoAttributes&) {}
    // The reader of the file resolves names of blocks and variables.
    void operator()(CondIfAttributes&) {}
    void operator()(WhileLoopAttributes&) {}
    void operator()(VariableAttributes&) {}
    void operator()(ArgmaxAttributes& to) { read_extreme<wire::ArgMaxAttribute>(to); }
    void operator()(AvgPool2dAttributes& to) {
        const auto& a = from<wire::AvgPool2dAttribute>();
        to = {fixed<2>(a.kernel(), "kernel", fail), fixed<2>(a.stride(), "stride", fail),
              fixed<4>(a.pad(), "pad", fail), data_type(a.acc_type(), fail)};
    }
    void operator()(Conv2dAttributes& to) { read_convolution<wire::Conv2dAttribute, 2>(to); }
    void operator()(Conv3dAttributes& to) { read_convolution<wire::Conv3dAttribute, 3>(to); }
    void operator()(DepthwiseConv2dAttributes& to) {
        read_convolution<wire::DepthwiseConv2dAttribute, 2>(to);
    }
    void operator()(TransposeConv2dAttributes& to) {
        const auto& a = from<wire::TransposeConv2dAttribute>();
        to = {fixed<4>(a.out_pad(), "out_pad", fail), fixed<2>(a.stride(), "stride", fail),
              a.local_bound(), data_type(a.acc_type(), fail)};
    }
    void operator()(MaxPool2dAttributes& to) {
        const auto& a = from<wire::MaxPool2dAttribute>();
        to = {fixed<2>(a.kernel(), "kernel", fail), fixed<2>(a.stride(), "stride", fail),
              fixed<4>(a.pad(), "pad", fail), nan_mode(a.nan_mode(), fail)};
    }
    void operator()(Fft2dAttributes& to) {
        const auto& a = from<wire::FFT2dAttribute>();
        to = {a.inverse(), a.local_bound()};
    }
    void operator()(Rfft2dAttributes& to) { to = {from<wire::RFFT2dAttribute>().local_bound()}; }
    void operator()(ReduceAllAttributes& to) { to = {from<wire::ReduceAllAttribute>().axis()}; }
    void operator()(ReduceAnyAttributes& to) { to = {from<wire::ReduceAnyAttribute>().axis()}; }
    void operator()(ReduceMaxAttributes& to) { read_extreme<wire::ReduceMaxAttribute>(to); }
    void operator()(ReduceMinAttributes& to) { read_extreme<wire::ReduceMinAttribute>(to); }
    void operator()(ReduceProductAttributes& to) {
        to = {from<wire::ReduceProductAttribute>().axis()};
    }
    void operator()(ReduceSumAttributes& to) { to = {from<wire::ReduceSumAttribute>().axis()}; }
    void operator()(ClampAttributes& to) {
        const auto& a = from<wire::ClampAttribute>();
        to = {element(a.min_val()), element(a.max_val()), nan_mode(a.nan_mode(), fail)};
    }
    void operator()(ArithmeticRightShiftAttributes& to) {
        to = {from<wire::ArithmeticRightShiftAttribute>().round()};
    }
    void operator()(MaximumAttributes& to) {
        to = {nan_mode(from<wire::MaximumAttribute>().nan_mode(), fail)};
    }
    void operator()(MinimumAttributes& to) {
        to = {nan_mode(from<wire::MinimumAttribute>().nan_mode(), fail)};
    }
    void operator()(ConcatAttributes& to) { to = {from<wire::ConcatAttribute>().axis()}; }
    void operator()(ReverseAttributes& to) { to = {from<wire::ReverseAttribute>().axis()}; }
    void operator()(TransposeAttributes& to) {
        to = {perms(from<wire::TransposeAttribute>().perms(), fail)};
    }
    void operator()(ResizeAttributes& to) {
        to = {enumerant<ResizeMode>(from<wire::ResizeAttribute>().mode(), wire::ResizeMode::MAX,
                                    "mode", fail)};
    }
    void operator()(RescaleAttributes& to) {
        const auto& a = from<wire::RescaleAttribute>();
        to = {a.scale32(),
              enumerant<RoundingMode>(a.rounding_mode(), wire::RoundingMode::MAX, "rounding_mode",
                                      fail),
              a.per_channel(), a.input_unsigned(), a.output_unsigned()};
    }
    void operator()(CustomAttributes& to) {
        const auto& a = from<wire::CustomAttribute>();
        to = {text(a.operator_name()), text(a.domain_name()), {}};
        if (const auto* bytes = a.implementation_attrs()) {
            to.implementation_attrs.assign(bytes->begin(), bytes->end());
        }
    }
};

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
    Attributes attributes = tosa::empty_attributes(static_cast<OpCode>(tag));
    std::visit(AttributeReader{op, fail}, attributes);
    return attributes;
}

}  // namespace okksim::sim::graph
