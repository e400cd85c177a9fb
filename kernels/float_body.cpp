// SPDX-License-Identifier: Apache-2.0
#include "kernels/float_body.h"

#include "kernels/constant_values.h"
#include "kernels/prim/elementary.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::NanMode;
using prim::Scratch;
using tosa::OpCode;
using Operands = std::span<const LocalTensor>;

/// Functions of one number without attributes.
struct Function {
    OpCode op;
    void (*body)(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
    int planes;
    int commands;
};

constexpr Function kFunctions[] = {
    {OpCode::kErf, prim::erf_float, prim::kErfPlanes, 67},
    {OpCode::kSigmoid, prim::sigmoid_float, prim::kSigmoidPlanes, 55},
    {OpCode::kTanh, prim::tanh_float, prim::kTanhPlanes, 37},
    {OpCode::kCeil, prim::round_up, prim::kRoundPlanes, 9},
    {OpCode::kCos, prim::cos_float, prim::kTrigonometryPlanes, 35},
    {OpCode::kExp, prim::exp_float, prim::kExpPlanes, 32},
    {OpCode::kFloor, prim::round_down, prim::kRoundPlanes, 9},
    {OpCode::kLog, prim::log_float, prim::kLogPlanes, 46},
    {OpCode::kReciprocal, prim::reciprocal_float, prim::kReciprocalPlanes, 21},
    {OpCode::kRsqrt, prim::rsqrt_float, prim::kRsqrtPlanes, 26},
    {OpCode::kSin, prim::sin_float, prim::kTrigonometryPlanes, 36},
};

using Arithmetic = void (*)(const LocalTensor&, const LocalTensor&, const LocalTensor&);

FloatBody arithmetic(Arithmetic command) {
    return {0, 1,
            [command](const LocalTensor& dst, Operands o, Scratch&) { command(dst, o[0], o[1]); }};
}

FloatBody maximum(NanMode mode) {
    return {prim::kFloatMinMaxPlanes, 6,
            [mode](const LocalTensor& dst, Operands o, Scratch& scratch) {
                prim::maximum_float(dst, o[0], o[1], mode, scratch);
            }};
}

FloatBody minimum(NanMode mode) {
    return {prim::kFloatMinMaxPlanes, 7,
            [mode](const LocalTensor& dst, Operands o, Scratch& scratch) {
                prim::minimum_float(dst, o[0], o[1], mode, scratch);
            }};
}

FloatBody clamp(const tosa::ClampAttributes& attributes, tosa::DType type) {
    const float low = float_value(attributes.min_val, type);
    const float high = float_value(attributes.max_val, type);
    const NanMode mode = nan_mode(attributes.nan_mode);
    return {prim::kClampPlanes, mode == NanMode::kIgnore ? 2 : 6,
            [=](const LocalTensor& dst, Operands o, Scratch& scratch) {
                prim::clamp_float(dst, o[0], low, high, mode, scratch);
            }};
}

}  // namespace

std::optional<FloatBody> float_body(OpCode op, const tosa::Attributes& attributes,
                                    tosa::DType type) {
    if (op == OpCode::kAdd) return arithmetic(prim::raw::add);
    if (op == OpCode::kSub) return arithmetic(prim::raw::subtract);
    if (op == OpCode::kMul) return arithmetic(prim::raw::multiply);
    if (op == OpCode::kMaximum) {
        return maximum(nan_mode(std::get<tosa::MaximumAttributes>(attributes).nan_mode));
    }
    if (op == OpCode::kMinimum) {
        return minimum(nan_mode(std::get<tosa::MinimumAttributes>(attributes).nan_mode));
    }
    if (op == OpCode::kClamp) return clamp(std::get<tosa::ClampAttributes>(attributes), type);
    for (const Function& row : kFunctions) {
        if (row.op != op) continue;
        return FloatBody{row.planes, row.commands,
                         [&row](const LocalTensor& dst, Operands o, Scratch& scratch) {
                             row.body(dst, o[0], scratch);
                         }};
    }
    return std::nullopt;
}

}  // namespace okksim::kernels
