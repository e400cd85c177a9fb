// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/float_formats.h"

#include <limits>
#include <optional>

#include "kernels/prim/convert.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/native.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

/// A binary format narrower than fp32.
struct Format {
    int bits;
    int fraction_bits;
    int bias;
    /// Limit of magnitudes before rounding, so that all larger ones convert correctly. It is the
    /// first power of two beyond the range, which encodes as infinity. In a format without infinity
    /// it is the value whose encoding is NaN.
    float beyond;
    /// Fraction bits or-ed in for NaN; none if `beyond` already encodes NaN.
    std::optional<std::uint32_t> nan_bits;

    constexpr int smallest_normal() const { return 1 - bias; }  ///< exponent
    constexpr std::uint32_t magnitude_mask() const { return (1u << (bits - 1)) - 1; }
};

constexpr Format kFp16{16, 10, 15, 65536.0f, 0x200};
constexpr Format kE5m2{8, 2, 15, 65536.0f, 0x2};
constexpr Format kE4m3{8, 3, 7, 480.0f, std::nullopt};

/// The factor between a number and the fp32 number whose exponent field is the format's.
constexpr int rebias(const Format& format) { return 127 - format.bias; }

/// dst = magnitude rounded to the format's precision; magnitude <= format.beyond. t is destroyed.
void round_magnitude(const Format& format, const LocalTensor& dst, const LocalTensor& magnitude,
                     const LocalTensor& t) {
    // Adds a number whose unit is that of the result: 1.5 * 2^(exponent + 23 - fraction bits). For
    // denormals the exponent is that of the smallest normal number.
    raw::bit_and(t, magnitude, kExponentField);
    raw::maximum(t, t, power_of_two(format.smallest_normal()));
    raw::multiply(t, t, 1.5f * power_of_two(23 - format.fraction_bits));
    raw::add(dst, magnitude, t);
    raw::subtract(dst, dst, t);
}

void narrow(const Format& format, const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor magnitude = frame.plane(dst.shape);
    const LocalTensor rounded = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    const LocalTensor keep = frame.plane(dst.shape);
    // The sign, and for NaN a fraction bit.
    raw::bit_and(magnitude, a, kMagnitudeBits);
    raw::shift_right_logical(keep, a, 32 - format.bits);
    raw::bit_and(keep, keep, 1u << (format.bits - 1));
    if (format.nan_bits) {
        raw::select_greater(t, magnitude, -1.0f, *format.nan_bits);
        raw::bit_xor(t, t, *format.nan_bits);
        raw::bit_or(keep, keep, t);
    }
    raw::minimum(magnitude, magnitude, format.beyond);  // NaN too
    round_magnitude(format, rounded, magnitude, t);
    // Normal numbers: the exponent rebiased by a multiplication that flushes denormals to zero.
    raw::multiply(t, rounded, power_of_two(-rebias(format)));
    raw::shift_right_logical(t, t, 23 - format.fraction_bits);
    raw::bit_or(keep, keep, t);
    // Denormals: multiples of the smallest one, as integers.
    raw::multiply(magnitude, rounded,
                  power_of_two(format.fraction_bits - format.smallest_normal()));
    raw::to_int32(magnitude, magnitude);
    raw::select_less(t, rounded, power_of_two(format.smallest_normal()), kAllOnes);
    raw::bit_and(magnitude, magnitude, t);
    raw::bit_or(dst, keep, magnitude);
}

void widen(const Format& format, const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor value = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    raw::bit_and(t, a, format.magnitude_mask());
    raw::shift_left(value, t, 23 - format.fraction_bits);
    raw::multiply(value, value, power_of_two(rebias(format)));  // denormals become zero
    // Denormals: multiples of the smallest one; every larger number is above these.
    raw::bit_or(t, t, kIntegerMagicBits);
    raw::subtract(t, t, kIntegerMagic);
    raw::minimum(t, t, static_cast<float>((1 << format.fraction_bits) - 1));
    raw::multiply(t, t, power_of_two(format.smallest_normal() - format.fraction_bits));
    raw::maximum(value, value, t);
    // Infinity and NaN keep their fraction under the full exponent field.
    const float largest = format.nan_bits ? 65504.0f : 448.0f;
    raw::select_greater(t, value, largest, format.nan_bits ? kExponentField : 0x7FC00000u);
    raw::bit_or(value, value, t);
    raw::bit_and(t, a, 1u << (format.bits - 1));
    raw::shift_left(t, t, 32 - format.bits);
    raw::bit_or(dst, value, t);
}

}  // namespace

void fp16_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    widen(kFp16, dst, a, scratch);
}

void bf16_to_float(const LocalTensor& dst, const LocalTensor& a) { raw::shift_left(dst, a, 16); }

void fp8e4m3_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    widen(kE4m3, dst, a, scratch);
}

void fp8e5m2_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    widen(kE5m2, dst, a, scratch);
}

void float_to_fp16(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    narrow(kFp16, dst, a, scratch);
}

void float_to_fp8e4m3(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    narrow(kE4m3, dst, a, scratch);
}

void float_to_fp8e5m2(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    narrow(kE5m2, dst, a, scratch);
}

void float_to_bf16(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor high = frame.plane(dst.shape);
    const LocalTensor low = frame.plane(dst.shape);
    const LocalTensor t = frame.plane(dst.shape);
    const LocalTensor keep = frame.plane(dst.shape);
    is_not_nan(keep, a, 0x7FC0u);
    raw::bit_xor(keep, keep, 0x7FC0u);
    raw::shift_right_logical(high, a, 16);
    // Rounds up if the low half plus the last kept bit is above one half: ties go to even.
    raw::bit_and(t, high, 1u);
    raw::select_equal(t, t, 1u, kOneBits);
    raw::bit_and(low, a, 0xFFFFu);
    raw::bit_or(low, low, kIntegerMagicBits);
    raw::add(low, low, t);
    raw::select_greater(t, low, kIntegerMagic + 32768.0f, kOneBits);
    raw::bit_or(high, high, kIntegerMagicBits);
    raw::add(high, high, t);
    raw::bit_and(high, high, 0xFFFFu);
    raw::bit_or(dst, high, keep);
}

void unpack_half(const LocalTensor& dst, local_addr_t packed, okk_element_t type,
                 Scratch& scratch) {
    if (native::converts(scratch)) return native::widen(dst, OKK_FP32, packed, type);
    unpack_16bit(dst, packed, false, scratch);
    if (type == OKK_FP16) {
        fp16_to_float(dst, dst, scratch);
    } else {
        bf16_to_float(dst, dst);
    }
}

void pack_half(local_addr_t packed, const LocalTensor& words, okk_element_t type,
               Scratch& scratch) {
    if (native::converts(scratch)) return native::narrow(packed, type, words, OKK_FP32);
    if (type == OKK_FP16) {
        float_to_fp16(words, words, scratch);
    } else {
        float_to_bf16(words, words, scratch);
    }
    pack_16bit(packed, words, scratch);
}

void int32_to_bf16(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor high = frame.plane(dst.shape);
    const LocalTensor low = frame.plane(dst.shape);
    unsigned_half_to_float(low, a, Half::kLow, 0);
    signed_high_half_to_float(high, a, 16);
    {
        // From magnitude 2^24 on the low half only breaks ties. Any value between 0 and 1 unit of
        // the high half works; one half of it keeps the sum exact.
        Scratch::Frame inner(scratch);
        const LocalTensor large = inner.plane(dst.shape);
        const LocalTensor sticky = inner.plane(dst.shape);
        raw::add(large, high, 32768.0f);  // the high half is rounded down: centre it
        raw::bit_and(large, large, kMagnitudeBits);
        raw::select_greater(large, large, power_of_two(24), kAllOnes);
        raw::select_greater(sticky, low, 0.0f, float_bits(32768.0f));
        raw::bit_xor(sticky, sticky, low);
        raw::bit_and(sticky, sticky, large);
        raw::bit_xor(low, low, sticky);
    }
    raw::add(high, high, low);
    float_to_bf16(dst, high, scratch);
}

}  // namespace okksim::kernels::prim
