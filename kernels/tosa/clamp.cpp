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

float float_bound(const tosa::ElementBytes& element, DType type) {
    const std::uint32_t bits = little_endian(element, stored_bytes(type));
    if (type == DType::kFp16) return decode_fp16(bits);
    if (type == DType::kBf16) return std::bit_cast<float>(bits << 16);
    OKKSIM_CHECK(type == DType::kFp32);
    return std::bit_cast<float>(bits);
}

void clamp_float(const OperatorCall& call, const tosa::ClampAttributes& attributes) {
    const DType type = call.inputs[0].type;
    const float low = float_bound(attributes.min_val, type);
    const float high = float_bound(attributes.max_val, type);
    const bool ignores = attributes.nan_mode == tosa::NanPropagationMode::kIgnore;
    const auto mode = ignores ? prim::NanMode::kIgnore : prim::NanMode::kPropagate;
    run_pointwise({.inputs = {{call.inputs[0]}},
                   .output = call.outputs[0],
                   .planes = prim::kClampPlanes,
                   .commands = ignores ? 2 : 6,
                   .body = [&](const PointwiseTile& tile) {
                       prim::clamp_float(tile.output, tile.inputs[0], low, high, mode,
                                         tile.scratch);
                   }});
}

/// i8 and i16: the fixed-point unit clamps them as they are stored.
void clamp_integer(const OperatorCall& call, const tosa::ClampAttributes& attributes) {
    const bool is_byte = call.inputs[0].type == DType::kI8;
    const auto bound = [&](const tosa::ElementBytes& element) -> int {
        const std::uint32_t bits = little_endian(element, is_byte ? 1 : 2);
        return is_byte ? static_cast<std::int8_t>(bits) : static_cast<std::int16_t>(bits);
    };
    const int low = bound(attributes.min_val);
    const int high = bound(attributes.max_val);
    const auto clamp = is_byte ? prim::raw::bytes_clamp : prim::raw::halves_clamp;
    run_pointwise({.inputs = {{call.inputs[0], WordForm::kPacked}},
                   .output = call.outputs[0],
                   .output_form = WordForm::kPacked,
                   .commands = 2,
                   .body = [&](const PointwiseTile& tile) {
                       clamp(tile.output, tile.inputs[0], low, high);
                   }});
}

}  // namespace

/// CLAMP: i8, i16 and floating point.
void clamp_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::ClampAttributes>();
    if (tosa::is_floating_point(call.inputs[0].type)) {
        clamp_float(call, attributes);
    } else {
        clamp_integer(call, attributes);
    }
}

}  // namespace okksim::kernels
