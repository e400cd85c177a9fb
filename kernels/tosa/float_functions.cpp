// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 sections 2.4 and 2.6: functions of one floating-point number.
#include "isa/errors.h"
#include "kernels/pointwise.h"
#include "kernels/prim/elementary.h"
#include "kernels/prim/float_ops.h"

namespace okksim::kernels {
namespace {

struct FloatFunction {
    tosa::OpCode op;
    void (*body)(const prim::LocalTensor& dst, const prim::LocalTensor& a, prim::Scratch& scratch);
    int planes;
    int commands;
};

constexpr FloatFunction kFunctions[] = {
    {tosa::OpCode::kErf, prim::erf_float, prim::kErfPlanes, 67},
    {tosa::OpCode::kSigmoid, prim::sigmoid_float, prim::kSigmoidPlanes, 55},
    {tosa::OpCode::kTanh, prim::tanh_float, prim::kTanhPlanes, 37},
    {tosa::OpCode::kCeil, prim::round_up, prim::kRoundPlanes, 9},
    {tosa::OpCode::kCos, prim::cos_float, prim::kTrigonometryPlanes, 35},
    {tosa::OpCode::kExp, prim::exp_float, prim::kExpPlanes, 32},
    {tosa::OpCode::kFloor, prim::round_down, prim::kRoundPlanes, 9},
    {tosa::OpCode::kLog, prim::log_float, prim::kLogPlanes, 46},
    {tosa::OpCode::kReciprocal, prim::reciprocal_float, prim::kReciprocalPlanes, 21},
    {tosa::OpCode::kRsqrt, prim::rsqrt_float, prim::kRsqrtPlanes, 26},
    {tosa::OpCode::kSin, prim::sin_float, prim::kTrigonometryPlanes, 36},
};

const FloatFunction& function_of(tosa::OpCode op) {
    for (const FloatFunction& row : kFunctions) {
        if (row.op == op) return row;
    }
    OKKSIM_CHECK(false);
}

}  // namespace

/// ERF, SIGMOID, TANH, CEIL, COS, EXP, FLOOR, LOG, RECIPROCAL, RSQRT, SIN: in fp32 whatever the
/// type.
void float_function_kernel(const OperatorCall& call) {
    const FloatFunction& function = function_of(call.op);
    run_pointwise({.inputs = {{call.inputs[0]}},
                   .output = call.outputs[0],
                   .planes = function.planes,
                   .commands = function.commands,
                   .body = [&](const PointwiseTile& tile) {
                       function.body(tile.output, tile.inputs[0], tile.scratch);
                   }});
}

}  // namespace okksim::kernels
