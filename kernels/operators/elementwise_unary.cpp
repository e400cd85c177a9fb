// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.6: unary operators on integers and on the bits of floating-point numbers.
#include "kernels/call/constant_values.h"
#include "kernels/call/violations.h"
#include "kernels/pointwise/float_pointwise.h"
#include "kernels/pointwise/pointwise.h"
#include "kernels/pointwise/pointwise_planner.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/leading_zeros.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;
using tosa::DType;

/// The sign bits of the elements of a word of fp16, bf16 or fp32.
std::uint32_t sign_bits(DType type) { return stored_bytes(type) == 2 ? 0x80008000u : 0x80000000u; }

/// An operator on the stored bits of its only input.
void run_on_bits(const OperatorCall& call, const std::function<void(const PointwiseTile&)>& body) {
    run_pointwise(call, {.inputs = {{call.inputs[0], WordForm::kPacked}},
                         .output = call.outputs[0],
                         .output_form = WordForm::kPacked,
                         .body = body});
}

/// i8 and i16: output_zp - (value - input1_zp), saturated. fp32 holds all values exactly.
PointwiseOperator negate_narrow(const OperatorCall& call, std::int64_t zero_points) {
    const auto offset = static_cast<float>(zero_points);
    const float high = call.outputs[0].type == DType::kI8 ? 127.0f : 32767.0f;
    return {.inputs = {{call.inputs[0], WordForm::kFloat}},
            .output = call.outputs[0],
            .output_form = WordForm::kFloat,
            .body = [offset, high](const PointwiseTile& tile) {
                prim::raw::subtract_from(tile.output, tile.inputs[0], offset);
                prim::raw::minimum(tile.output, tile.output, high);
                prim::raw::maximum(tile.output, tile.output, -high - 1.0f);
            }};
}

void run_negate_narrow(const OperatorCall& call) {
    using Decision = PointwiseDecision<std::int64_t>;
    const bool has_zero_points = call.outputs[0].type == DType::kI8;  // those of i16 are 0
    const Decision& decision = call.decisions->take("tiles", [&](Host& host) {
        Decision planned{std::nullopt, plan_pointwise(negate_narrow(call, 0), host)};
        const auto input = host.values(call.inputs[1]);
        const auto output = host.values(call.inputs[2]);
        if (!has_zero_points) planned.known = 0;
        if (has_zero_points && input && output) planned.known = input->front() + output->front();
        return planned;
    });
    const std::int64_t zero_points =
        decision.known ? *decision.known : zero_point(call.inputs[1]) + zero_point(call.inputs[2]);
    run_pointwise(negate_narrow(call, zero_points), decision.plan);
}

/// Sets violations if a word is the smallest int32.
void check_not_smallest(const PointwiseTile& tile) {
    Scratch::Frame frame(tile.scratch);
    const LocalTensor hit = frame.plane(tile.output.shape);
    prim::raw::select_equal(hit, tile.inputs[0], prim::kSignBit, prim::kSignBit);
    prim::raw::bit_or(*tile.violations, *tile.violations, hit);
}

struct Int32Function {
    void (*body)(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
    int planes;
};

/// ABS and NEGATE of int32, which have no result for the smallest number.
void run_sign_function(const OperatorCall& call, const Int32Function& function) {
    const bool violated =
        run_pointwise(call, {.inputs = {{call.inputs[0]}},
                             .output = call.outputs[0],
                             .planes = function.planes,
                             .checks = true,
                             .body = [&](const PointwiseTile& tile) {
                                 check_not_smallest(tile);
                                 function.body(tile.output, tile.inputs[0], tile.scratch);
                             }});
    if (violated) {
        throw_unpredictable(call, "input1", "-2147483648",
                            "c >= minimum_s<in_t>() && c <= maximum_s<in_t>()");
    }
}

}  // namespace

/// ABS: i32 and floating point.
void abs_kernel(const OperatorCall& call) {
    const DType type = call.outputs[0].type;
    if (type == DType::kI32) {
        run_sign_function(call, {prim::absolute_int32, prim::kAbsolutePlanes});
        return;
    }
    if (!call.followers.empty()) return run_float_pointwise(call);
    run_on_bits(call, [&](const PointwiseTile& tile) {
        prim::raw::bit_and(tile.output, tile.inputs[0], ~sign_bits(type));
    });
}

/// BITWISE_NOT: i8, i16, i32.
void bitwise_not_kernel(const OperatorCall& call) {
    run_on_bits(call,
                [](const PointwiseTile& tile) { prim::bitwise_not(tile.output, tile.inputs[0]); });
}

/// CLZ: i32.
void clz_kernel(const OperatorCall& call) {
    run_pointwise(call, {.inputs = {{call.inputs[0]}},
                         .output = call.outputs[0],
                         .planes = prim::kCountLeadingZerosPlanes,
                         .body = [](const PointwiseTile& tile) {
                             prim::count_leading_zeros(tile.output, tile.inputs[0], tile.scratch);
                         }});
}

/// LOGICAL_NOT: bool, stored as bytes 0 and 1.
void logical_not_kernel(const OperatorCall& call) {
    run_on_bits(call, [](const PointwiseTile& tile) {
        prim::raw::bit_xor(tile.output, tile.inputs[0], 0x01010101u);
    });
}

/// NEGATE: i8 with zero points, i16, i32, floating point.
void negate_kernel(const OperatorCall& call) {
    const DType type = call.outputs[0].type;
    if (type == DType::kI8 || type == DType::kI16) {
        run_negate_narrow(call);
    } else if (type == DType::kI32) {
        run_sign_function(call, {prim::negate_int32, prim::kNegatePlanes});
    } else if (!call.followers.empty()) {
        run_float_pointwise(call);
    } else {
        run_on_bits(call, [&](const PointwiseTile& tile) {
            prim::raw::bit_xor(tile.output, tile.inputs[0], sign_bits(type));
        });
    }
}

}  // namespace okksim::kernels
