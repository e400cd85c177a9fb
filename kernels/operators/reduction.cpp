// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.9: reduction operators, and ARGMAX (2.3.1).
#include "isa/base/errors.h"
#include "kernels/call/constant_values.h"
#include "kernels/call/violations.h"
#include "kernels/reduction/axis_reduction.h"

namespace okksim::kernels {
namespace {

using prim::NanMode;
using tosa::DType;

/// Integers of at most 16 bits are exact as fp32, which the machine compares fastest.
bool is_short_integer(DType type) { return type == DType::kI8 || type == DType::kI16; }

WordForm form_of(DType type) {
    return is_short_integer(type) ? WordForm::kFloat : WordForm::kValue;
}

std::span<const std::int32_t> dims_of(const DeviceTensor& tensor) {
    return std::span(tensor.dims).first(static_cast<std::size_t>(tensor.rank));
}

/// Returns true if a checked combination has a result that does not exist.
bool reduce(const OperatorCall& call, int axis, Combination combination,
            NanMode mode = NanMode::kPropagate) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    const WordForm form = form_of(input.type);
    return reduce_axis(call, Combiner(combination, mode),
                       {{input.address, input.type, form, input.strides},
                        {output.address, output.type, form, output.strides},
                        dims_of(input),
                        axis});
}

Combination maximum_of(DType type) {
    if (type == DType::kI32) return Combination::kIntegerMaximum;
    return is_short_integer(type) ? Combination::kPlainMaximum : Combination::kFloatMaximum;
}

Combination minimum_of(DType type) {
    if (type == DType::kI32) return Combination::kIntegerMinimum;
    return is_short_integer(type) ? Combination::kPlainMinimum : Combination::kFloatMinimum;
}

Combination argmax_of(DType type) {
    if (is_short_integer(type)) return Combination::kPlainArgmax;
    const bool full_range = type == DType::kFp32 || type == DType::kBf16;
    return full_range ? Combination::kFullRangeArgmax : Combination::kFloatArgmax;
}

}  // namespace

/// ARGMAX: first index of the maximum; the output has no such axis.
void argmax_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::ArgmaxAttributes>();
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& output = call.outputs[0];
    NdStrides strides{};
    for (int i = 0, o = 0; i < input.rank; ++i) {
        if (i != attributes.axis) {
            strides[static_cast<std::size_t>(i)] = output.strides[static_cast<std::size_t>(o++)];
        }
    }
    const Combiner combiner(argmax_of(input.type), nan_mode(attributes.nan_mode));
    reduce_axis(call, combiner,
                {{input.address, input.type, form_of(input.type), input.strides},
                 {output.address, output.type, WordForm::kValue, strides},
                 dims_of(input),
                 attributes.axis});
}

void reduce_all_kernel(const OperatorCall& call) {
    reduce(call, call.attributes_as<tosa::ReduceAllAttributes>().axis, Combination::kAnd);
}

void reduce_any_kernel(const OperatorCall& call) {
    reduce(call, call.attributes_as<tosa::ReduceAnyAttributes>().axis, Combination::kOr);
}

void reduce_max_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::ReduceMaxAttributes>();
    reduce(call, attributes.axis, maximum_of(call.inputs[0].type), nan_mode(attributes.nan_mode));
}

void reduce_min_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::ReduceMinAttributes>();
    reduce(call, attributes.axis, minimum_of(call.inputs[0].type), nan_mode(attributes.nan_mode));
}

void reduce_product_kernel(const OperatorCall& call) {
    reduce(call, call.attributes_as<tosa::ReduceProductAttributes>().axis, Combination::kProduct);
}

/// REDUCE_SUM: int32 exact; floating point in fp32, folded in halves. Only the last of the
/// specification's partial sums is checked (kernels/REQUIRE.md).
void reduce_sum_kernel(const OperatorCall& call) {
    const bool integer = call.inputs[0].type == DType::kI32;
    if (reduce(call, call.attributes_as<tosa::ReduceSumAttributes>().axis,
               integer ? Combination::kCheckedSum : Combination::kFloatSum)) {
        throw_unpredictable(call, "output", "some element",
                            "c >= minimum_s<acc_t>() && c <= maximum_s<acc_t>()");
    }
}

}  // namespace okksim::kernels
