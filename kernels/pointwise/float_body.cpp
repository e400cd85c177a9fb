// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/float_body.h"

#include "kernels/call/constant_values.h"
#include "kernels/prim/elementary.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {

// Column `fusion` of the rows. A body without a definition is an undefined symbol for the linker.
#define OKKSIM_FUSION_alone OKKSIM_NO_BODY
#define OKKSIM_FUSION_sums OKKSIM_NO_BODY
#define OKKSIM_FUSION_scaled_sums OKKSIM_NO_BODY
#define OKKSIM_FUSION_rescale OKKSIM_NO_BODY
#define OKKSIM_FUSION_body(operands, function) OKKSIM_BODY(function)
#define OKKSIM_TOSA_OPERATOR(op, attributes, kernel, work, storage, fusion, ...) \
    OKKSIM_FUSION_##fusion
#define OKKSIM_NO_BODY
#define OKKSIM_BODY(function) \
    FloatBody function(const tosa::Attributes& attributes, tosa::DType type);
#include "kernels/tosa/operators.def"
#undef OKKSIM_NO_BODY
#undef OKKSIM_BODY

namespace {

#define OKKSIM_NO_BODY nullptr,
#define OKKSIM_BODY(function) function,
using MakeBody = FloatBody (*)(const tosa::Attributes&, tosa::DType);
constexpr MakeBody kBodies[] = {
#include "kernels/tosa/operators.def"
};
#undef OKKSIM_NO_BODY
#undef OKKSIM_BODY
#undef OKKSIM_FUSION_alone
#undef OKKSIM_FUSION_sums
#undef OKKSIM_FUSION_scaled_sums
#undef OKKSIM_FUSION_rescale
#undef OKKSIM_FUSION_body
#undef OKKSIM_TOSA_OPERATOR

using prim::LocalTensor;
using prim::NanMode;
using prim::Scratch;
using tosa::OpCode;
using Operands = std::span<const LocalTensor>;

using Function = void (*)(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);
using Arithmetic = void (*)(const LocalTensor&, const LocalTensor&, const LocalTensor&);

/// A function of one number without attributes.
FloatBody function_body(Function function, int planes) {
    return {planes, [function](const LocalTensor& dst, Operands o, Scratch& scratch) {
                function(dst, o[0], scratch);
            }};
}

FloatBody arithmetic_body(Arithmetic command) {
    return {0,
            [command](const LocalTensor& dst, Operands o, Scratch&) { command(dst, o[0], o[1]); }};
}

}  // namespace

FloatBody erf_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::erf_float, prim::kErfPlanes);
}

FloatBody sigmoid_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::sigmoid_float, prim::kSigmoidPlanes);
}

FloatBody tanh_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::tanh_float, prim::kTanhPlanes);
}

FloatBody abs_body(const tosa::Attributes&, tosa::DType) {
    return {0, [](const LocalTensor& dst, Operands o, Scratch&) {
                prim::raw::bit_and(dst, o[0], ~prim::kSignBit);
            }};
}

FloatBody negate_body(const tosa::Attributes&, tosa::DType) {
    return {0, [](const LocalTensor& dst, Operands o, Scratch&) {
                prim::raw::bit_xor(dst, o[0], prim::kSignBit);
            }};
}

FloatBody ceil_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::round_up, prim::kRoundPlanes);
}

FloatBody cos_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::cos_float, prim::kTrigonometryPlanes);
}

FloatBody exp_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::exp_float, prim::kExpPlanes);
}

FloatBody floor_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::round_down, prim::kRoundPlanes);
}

FloatBody log_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::log_float, prim::kLogPlanes);
}

FloatBody reciprocal_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::reciprocal_float, prim::kReciprocalPlanes);
}

FloatBody rsqrt_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::rsqrt_float, prim::kRsqrtPlanes);
}

FloatBody sin_body(const tosa::Attributes&, tosa::DType) {
    return function_body(prim::sin_float, prim::kTrigonometryPlanes);
}

FloatBody add_body(const tosa::Attributes&, tosa::DType) { return arithmetic_body(prim::raw::add); }

FloatBody sub_body(const tosa::Attributes&, tosa::DType) {
    return arithmetic_body(prim::raw::subtract);
}

FloatBody mul_body(const tosa::Attributes&, tosa::DType) {
    return arithmetic_body(prim::raw::multiply);
}

FloatBody maximum_body(const tosa::Attributes& attributes, tosa::DType) {
    const NanMode mode = nan_mode(std::get<tosa::MaximumAttributes>(attributes).nan_mode);
    return {prim::kFloatMinMaxPlanes, [mode](const LocalTensor& dst, Operands o, Scratch& scratch) {
                prim::maximum_float(dst, o[0], o[1], mode, scratch);
            }};
}

FloatBody minimum_body(const tosa::Attributes& attributes, tosa::DType) {
    const NanMode mode = nan_mode(std::get<tosa::MinimumAttributes>(attributes).nan_mode);
    return {prim::kFloatMinMaxPlanes, [mode](const LocalTensor& dst, Operands o, Scratch& scratch) {
                prim::minimum_float(dst, o[0], o[1], mode, scratch);
            }};
}

FloatBody clamp_body(const tosa::Attributes& attributes, tosa::DType type) {
    const auto& limits = std::get<tosa::ClampAttributes>(attributes);
    const float low = float_value(limits.min_val, type);
    const float high = float_value(limits.max_val, type);
    const NanMode mode = nan_mode(limits.nan_mode);
    return {prim::kClampPlanes, [=](const LocalTensor& dst, Operands o, Scratch& scratch) {
                prim::clamp_float(dst, o[0], low, high, mode, scratch);
            }};
}

std::optional<FloatBody> float_body(OpCode op, const tosa::Attributes& attributes,
                                    tosa::DType type) {
    const MakeBody make = kBodies[static_cast<std::size_t>(op) - 1];
    if (make == nullptr) return std::nullopt;
    return make(attributes, type);
}

}  // namespace okksim::kernels
