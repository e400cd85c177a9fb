// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.4.1: CLAMP.
#include <bit>
#include <cmath>

#include "isa/errors.h"
#include "kernels/pointwise.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using tosa::DType;

std::uint32_t little_endian(const tosa::ElementBytes& element, int bytes) {
    std::uint32_t bits = 0;
    for (int i = 0; i < bytes; ++i) {
        bits |= static_cast<std::uint32_t>(element.bytes[static_cast<std::size_t>(i)]) << (8 * i);
    }
    return bits;
}

float decode_fp16(std::uint32_t bits) {
    const int exponent = static_cast<int>((bits >> 10) & 31);
    const auto fraction = static_cast<float>(bits & 1023);
    float magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024.0f + fraction, exponent - 25);
    if (exponent == 31) magnitude = INFINITY;  // a bound is not NaN
    return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

/// A bound in fp32: exact for every type of CLAMP.
float bound_value(const tosa::ElementBytes& element, DType type) {
    const std::uint32_t bits = little_endian(element, stored_bytes(type));
    switch (type) {
        case DType::kI8: return static_cast<float>(static_cast<std::int8_t>(bits));
        case DType::kI16: return static_cast<float>(static_cast<std::int16_t>(bits));
        case DType::kFp16: return decode_fp16(bits);
        case DType::kBf16: return std::bit_cast<float>(bits << 16);
        case DType::kFp32: return std::bit_cast<float>(bits);
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI4:
        case DType::kI32:
        case DType::kI48:
        case DType::kShape:
        case DType::kFp8E4M3:
        case DType::kFp8E5M2: break;
    }
    OKKSIM_CHECK(false);
}

}  // namespace

/// CLAMP: i8, i16 and floating point, all in fp32.
void clamp_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::ClampAttributes>();
    const DType type = call.inputs[0].type;
    const float low = bound_value(attributes.min_val, type);
    const float high = bound_value(attributes.max_val, type);
    const bool has_nan =
        tosa::is_floating_point(type) && attributes.nan_mode != tosa::NanPropagationMode::kIgnore;
    const auto mode = has_nan ? prim::NanMode::kPropagate : prim::NanMode::kIgnore;
    run_pointwise({.inputs = {{call.inputs[0], WordForm::kFloat}},
                   .output = call.outputs[0],
                   .output_form = WordForm::kFloat,
                   .planes = prim::kClampPlanes,
                   .commands = has_nan ? 6 : 2,
                   .body = [&](const PointwiseTile& tile) {
                       prim::clamp_float(tile.output, tile.inputs[0], low, high, mode,
                                         tile.scratch);
                   }});
}

}  // namespace okksim::kernels
