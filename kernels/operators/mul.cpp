// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.5.14: MUL.
#include <optional>

#include "kernels/call/violations.h"
#include "kernels/pointwise/float_pointwise.h"
#include "kernels/pointwise/pointwise_planner.h"
#include "kernels/pointwise/pointwise_run.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/exact_sum.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;
using tosa::DType;

/// i16: the second factor is cut in two so that both products are exact in fp32. The upper product
/// is a multiple of 2^8 below 2^31.
void multiply_int16(const PointwiseTile& tile) {
    Scratch::Frame frame(tile.scratch);
    const LocalTensor high = frame.plane(tile.output.shape);
    const LocalTensor low = frame.plane(tile.output.shape);
    prim::split_float(high, low, tile.inputs[1], 8);
    prim::raw::multiply(high, high, tile.inputs[0]);
    prim::raw::multiply(low, low, tile.inputs[0]);
    prim::raw::to_int32(high, high);
    prim::raw::to_int32(low, low);
    prim::add_int32(tile.output, high, low, tile.scratch);
}
constexpr int kMultiplyInt16Planes = 2 + prim::kAddPlanes;

/// The operator on words of `form`; the caller sets the body.
PointwiseOperator two_factors(const OperatorCall& call, WordForm form) {
    return {.inputs = {{call.inputs[0], form}, {call.inputs[1], form}},
            .output = call.outputs[0],
            .body = {}};
}

int checked_shift(const OperatorCall& call, std::int64_t shift) {
    if (shift < 0 || shift > 63) {
        throw_unpredictable(call, "shift", std::to_string(shift), "0 <= shift && shift <= 63");
    }
    if (shift != 0 && call.inputs[0].type != DType::kI32) {
        throw_unpredictable(call, "shift", std::to_string(shift),
                            "is_same<in_t,int32_t>() || shift == 0");
    }
    return static_cast<int>(shift);
}

int read_shift(const OperatorCall& call) {
    std::int64_t shift = 0;
    read_values(call.inputs[2], {&shift, 1});
    return checked_shift(call, shift);
}

PointwiseOperator multiply_int32(const OperatorCall& call, int shift) {
    PointwiseOperator op = two_factors(call, WordForm::kValue);
    if (shift == 0) {
        op.planes = prim::kMultiplyPlanes;
        op.body = [](const PointwiseTile& tile) {
            prim::multiply_int32(tile.output, tile.inputs[0], tile.inputs[1], tile.scratch);
        };
    } else {
        op.planes = prim::kMultiplyShiftPlanes;
        op.checks = shift < prim::kAlwaysFitsShift;
        op.body = [shift](const PointwiseTile& tile) {
            prim::multiply_shift_int32(tile.output, tile.inputs[0], tile.inputs[1], shift,
                                       tile.scratch, tile.violations);
        };
    }
    return op;
}

/// Object that the operator on floating-point factors refers to.
std::optional<FloatOperator> float_work(const OperatorCall& call) {
    if (!tosa::is_floating_point(call.inputs[0].type)) return std::nullopt;
    return FloatOperator(call);
}

/// `shift`: only for i32.
PointwiseOperator multiply(const OperatorCall& call, const std::optional<FloatOperator>& floats,
                           int shift, const Lanes& lanes) {
    const DType type = call.inputs[0].type;
    if (floats) return floats->pointwise(lanes);
    if (type == DType::kI32) return multiply_int32(call, shift);
    PointwiseOperator op = two_factors(call, WordForm::kFloat);
    if (type == DType::kI16) {
        op.planes = kMultiplyInt16Planes;
        op.body = multiply_int16;
    } else {
        // Products of i8 are exact in fp32.
        op.output_form = WordForm::kFloat;
        op.body = [](const PointwiseTile& tile) {
            prim::raw::multiply(tile.output, tile.inputs[0], tile.inputs[1]);
        };
    }
    return op;
}

using Decision = PointwiseDecision<int>;

/// An unknown shift counts as the one that needs most planes and commands.
Decision plan_product(const OperatorCall& call, Host& host) {
    static_assert(prim::kMultiplyShiftPlanes >= prim::kMultiplyPlanes);
    Decision decision;
    if (const auto values = host.values(call.inputs[2])) {
        decision.known = checked_shift(call, values->front());
    }
    const std::optional<FloatOperator> floats = float_work(call);
    const Lanes lanes = lanes_of(host.machine());
    decision.plan = plan_pointwise(multiply(call, floats, decision.known.value_or(1), lanes), host);
    return decision;
}

}  // namespace

/// MUL: i8 and i16 to i32, i32 with shift, floating point.
void mul_kernel(const OperatorCall& call) {
    const Decision& decision =
        call.decisions->take("tiles", [&](Host& host) { return plan_product(call, host); });
    const int shift = decision.known ? *decision.known : read_shift(call);
    const std::optional<FloatOperator> floats = float_work(call);
    if (run_pointwise(multiply(call, floats, shift, decision.plan.lanes), decision.plan)) {
        throw_unpredictable(call, "output", "some element",
                            "product >= minimum_s<i32_t>() && product <= maximum_s<i32_t>()");
    }
}

}  // namespace okksim::kernels
