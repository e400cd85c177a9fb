// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.13.1: CAST.
#include "kernels/call/violations.h"
#include "kernels/pointwise/pointwise.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/float_formats.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using tosa::DType;

void copy_words(const PointwiseTile& tile) { prim::raw::copy(tile.output, tile.inputs[0]); }

/// Sets violations if a number is NaN, which has no integer.
void check_not_nan(const PointwiseTile& tile) {
    prim::Scratch::Frame frame(tile.scratch);
    const LocalTensor hit = frame.plane(tile.output.shape);
    prim::is_not_nan(hit, tile.inputs[0], prim::kSignBit);
    prim::raw::bit_xor(hit, hit, prim::kSignBit);
    prim::raw::bit_or(*tile.violations, *tile.violations, hit);
}
constexpr int kNanCheckPlanes = 1;

/// Saturated and rounded to nearest even; stays fp32.
PointwiseOperator float_to_narrow(const OperatorCall& call) {
    const float high = call.outputs[0].type == DType::kI8 ? 127.0f : 32767.0f;
    return {.inputs = {{call.inputs[0]}},
            .output = call.outputs[0],
            .output_form = WordForm::kFloat,
            .planes = kNanCheckPlanes,
            .checks = true,
            .body = [high](const PointwiseTile& tile) {
                check_not_nan(tile);
                const LocalTensor& dst = tile.output;
                prim::raw::maximum(dst, tile.inputs[0], -high - 1.0f);
                prim::raw::minimum(dst, dst, high);
                prim::raw::add(dst, dst, prim::rounding_magic(0));
                prim::raw::subtract(dst, dst, prim::rounding_magic(0));
            }};
}

PointwiseOperator float_to_int32(const OperatorCall& call) {
    return {.inputs = {{call.inputs[0]}},
            .output = call.outputs[0],
            .planes = prim::kRoundToInt32Planes,
            .checks = true,
            .body = [](const PointwiseTile& tile) {
                check_not_nan(tile);
                prim::round_to_int32(tile.output, tile.inputs[0], tile.scratch);
            }};
}

/// One rounding; the conversion through fp32 would round twice.
PointwiseOperator int32_to_bf16(const OperatorCall& call) {
    return {.inputs = {{call.inputs[0]}},
            .output = call.outputs[0],
            .output_form = WordForm::kBits,
            .planes = prim::kInt32ToBf16Planes,
            .body = [](const PointwiseTile& tile) {
                prim::int32_to_bf16(tile.output, tile.inputs[0], tile.scratch);
            }};
}

/// Integers and bool to bool.
PointwiseOperator to_bool(const OperatorCall& call) {
    return {
        .inputs = {{call.inputs[0]}},
        .output = call.outputs[0],
        .body = [](const PointwiseTile& tile) { prim::is_not_zero(tile.output, tile.inputs[0]); }};
}

/// A cast without commands: the conversion between storage and words does it. The output is the
/// input as words of `form`.
PointwiseOperator by_storage(const OperatorCall& call, WordForm form) {
    return {.inputs = {{call.inputs[0], form}}, .output = call.outputs[0], .body = copy_words};
}

PointwiseOperator cast_operator(const OperatorCall& call) {
    const DType in = call.inputs[0].type;
    const DType out = call.outputs[0].type;
    if (out == DType::kBool) return to_bool(call);
    if (tosa::is_floating_point(out)) {
        if (tosa::is_floating_point(in)) return by_storage(call, WordForm::kValue);
        if (in == DType::kI32 && out == DType::kBf16) return int32_to_bf16(call);
        return by_storage(call, WordForm::kFloat);
    }
    if (!tosa::is_floating_point(in)) return by_storage(call, WordForm::kValue);
    return out == DType::kI32 ? float_to_int32(call) : float_to_narrow(call);
}

}  // namespace

/// CAST: every pair of types.
void cast_kernel(const OperatorCall& call) {
    if (run_pointwise(call, cast_operator(call))) {
        throw_unpredictable(call, "input", "NaN", "!isNaN(in), precision requirements");
    }
}

}  // namespace okksim::kernels
