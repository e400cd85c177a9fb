// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/convert.h"

#include "kernels/prim/float_ops.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/native.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

constexpr int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

/// Every `step`-th element of an aligned tensor of words, from element `first` on. The last element
/// of the view may be in the tensor's padding.
LocalTensor every_nth(const LocalTensor& words, int first, int step, const Lanes& lanes) {
    const dim4& shape = words.shape;
    const int elements = shape.h * shape.w;
    const int channel = isa::narrow(lanes.whole_lines(elements));
    const int slots = isa::narrow(lanes.slots(shape.c));
    const int views = (elements + step - 1) / step;
    return {words.address + static_cast<local_addr_t>(4 * first), dim4{shape.n, shape.c, 1, views},
            dim4{channel * slots, channel, step * views, step}};
}

/// The packed storage of `shape` as words: the aligned layouts of all widths agree.
LocalTensor packed_words(local_addr_t packed, const dim4& shape, int per_word) {
    const int elements = shape.h * shape.w;
    return {packed, dim4{shape.n, shape.c, 1, (elements + per_word - 1) / per_word}, std::nullopt};
}

okk_element_t byte_type(bool is_signed) { return is_signed ? OKK_INT8 : OKK_UINT8; }
okk_element_t half_type(bool is_signed) { return is_signed ? OKK_INT16 : OKK_UINT16; }

/// Clears the 1 to 3 words that complete the last group of four elements of every channel.
/// Arithmetic on groups then reads no NaN there.
void clear_group_padding(const LocalTensor& words, const Lanes& lanes) {
    const int elements = words.shape.h * words.shape.w;
    const int padding = round_up(elements, 4) - elements;
    if (padding == 0) return;
    LocalTensor view = every_nth(words, elements, 1, lanes);
    view.shape.w = padding;
    raw::fill(view, 0u);
}

}  // namespace

void unpack_8bit(const LocalTensor& dst, local_addr_t packed, bool is_signed, Scratch& scratch) {
    if (native::converts(scratch))
        return native::widen(dst, OKK_INT32, packed, byte_type(is_signed));
    const LocalTensor bytes = packed_words(packed, dst.shape, 4);
    for (int k = 0; k < 4; ++k) {
        const LocalTensor view = every_nth(dst, k, 4, scratch.lanes());
        if (k == 3) {
            raw::copy(view, bytes);
        } else {
            raw::shift_left(view, bytes, 24 - 8 * k);
        }
    }
    if (is_signed) {
        raw::shift_right_arithmetic(dst, dst, 24);
    } else {
        raw::shift_right_logical(dst, dst, 24);
    }
}

void unpack_16bit(const LocalTensor& dst, local_addr_t packed, bool is_signed, Scratch& scratch) {
    if (native::converts(scratch))
        return native::widen(dst, OKK_INT32, packed, half_type(is_signed));
    const LocalTensor pairs = packed_words(packed, dst.shape, 2);
    raw::shift_left(every_nth(dst, 0, 2, scratch.lanes()), pairs, 16);
    raw::copy(every_nth(dst, 1, 2, scratch.lanes()), pairs);
    if (is_signed) {
        raw::shift_right_arithmetic(dst, dst, 16);
    } else {
        raw::shift_right_logical(dst, dst, 16);
    }
}

void unpack_8bit_to_float(const LocalTensor& dst, local_addr_t packed, bool is_signed,
                          Scratch& scratch) {
    if (native::converts(scratch))
        return native::widen(dst, OKK_FP32, packed, byte_type(is_signed));
    if (is_signed) {
        // The conversion reads only the low byte.
        const LocalTensor bytes = packed_words(packed, dst.shape, 4);
        raw::copy(every_nth(dst, 0, 4, scratch.lanes()), bytes);
        for (int k = 1; k < 4; ++k) {
            raw::shift_right_logical(every_nth(dst, k, 4, scratch.lanes()), bytes, 8 * k);
        }
        raw::byte_to_float(dst, dst);
    } else {
        unpack_8bit(dst, packed, false, scratch);
        raw::bit_or(dst, dst, kIntegerMagicBits);
        raw::subtract(dst, dst, kIntegerMagic);
    }
}

void unpack_16bit_to_float(const LocalTensor& dst, local_addr_t packed, bool is_signed,
                           Scratch& scratch) {
    if (native::converts(scratch))
        return native::widen(dst, OKK_FP32, packed, half_type(is_signed));
    unpack_16bit(dst, packed, false, scratch);
    if (is_signed) {
        raw::bit_xor(dst, dst, kIntegerMagicBits | 0x8000u);
        raw::subtract(dst, dst, kIntegerMagic + 32768.0f);
    } else {
        raw::bit_or(dst, dst, kIntegerMagicBits);
        raw::subtract(dst, dst, kIntegerMagic);
    }
}

void pack_8bit(local_addr_t packed, const LocalTensor& a, Scratch& scratch) {
    if (native::converts(scratch)) return native::narrow(packed, OKK_UINT8, a, OKK_INT32);
    Scratch::Frame frame(scratch);
    const Lanes& lanes = scratch.lanes();
    const LocalTensor dst = packed_words(packed, a.shape, 4);
    const LocalTensor byte = frame.plane(dst.shape);
    raw::bit_and(dst, every_nth(a, 0, 4, lanes), 0xFFu);
    for (int k = 1; k < 4; ++k) {
        const LocalTensor view = every_nth(a, k, 4, lanes);
        if (k == 3) {
            raw::shift_left(byte, view, 24);
        } else {
            raw::bit_and(byte, view, 0xFFu);
            raw::shift_left(byte, byte, 8 * k);
        }
        raw::bit_or(dst, dst, byte);
    }
}

void pack_16bit(local_addr_t packed, const LocalTensor& a, Scratch& scratch) {
    if (native::converts(scratch)) return native::narrow(packed, OKK_UINT16, a, OKK_INT32);
    Scratch::Frame frame(scratch);
    const Lanes& lanes = scratch.lanes();
    const LocalTensor dst = packed_words(packed, a.shape, 2);
    const LocalTensor high = frame.plane(dst.shape);
    raw::bit_and(dst, every_nth(a, 0, 2, lanes), 0xFFFFu);
    raw::shift_left(high, every_nth(a, 1, 2, lanes), 16);
    raw::bit_or(dst, dst, high);
}

void pack_float_to_8bit(local_addr_t packed, const LocalTensor& a, Scratch& scratch) {
    if (native::converts(scratch)) return native::narrow(packed, OKK_INT8, a, OKK_FP32);
    Scratch::Frame frame(scratch);
    const Lanes& lanes = scratch.lanes();
    const LocalTensor dst = packed_words(packed, a.shape, 4);
    const LocalTensor low = frame.plane(dst.shape);
    const LocalTensor high = frame.plane(dst.shape);
    clear_group_padding(a, lanes);
    // Three bytes fit the mantissa. 128 is added to each so that none is negative; flipping the
    // highest bit of each byte subtracts it again.
    raw::multiply(low, every_nth(a, 1, 4, lanes), 256.0f);
    raw::add(low, low, every_nth(a, 0, 4, lanes));
    raw::multiply_add(low, every_nth(a, 2, 4, lanes), 65536.0f);
    raw::add(low, low, 128.0f * (1.0f + 256.0f + 65536.0f));
    raw::to_int32(low, low);
    raw::bit_xor(low, low, 0x00808080u);
    raw::multiply(high, every_nth(a, 3, 4, lanes), power_of_two(24));
    raw::to_int32(high, high);
    raw::bit_or(dst, low, high);
}

void pack_float_to_unsigned_8bit(local_addr_t packed, const LocalTensor& a, Scratch& scratch) {
    if (native::converts(scratch)) return native::narrow(packed, OKK_UINT8, a, OKK_FP32);
    Scratch::Frame frame(scratch);
    const Lanes& lanes = scratch.lanes();
    const LocalTensor dst = packed_words(packed, a.shape, 4);
    const LocalTensor low = frame.plane(dst.shape);
    const LocalTensor high = frame.plane(dst.shape);
    clear_group_padding(a, lanes);
    raw::multiply(low, every_nth(a, 1, 4, lanes), 256.0f);
    raw::add(low, low, every_nth(a, 0, 4, lanes));
    raw::multiply_add(low, every_nth(a, 2, 4, lanes), 65536.0f);
    raw::to_int32(low, low);
    raw::copy(high, every_nth(a, 3, 4, lanes));
    raw::to_int32(high, high);
    raw::shift_left(high, high, 24);
    raw::bit_or(dst, low, high);
}

void unsigned_half_to_float(const LocalTensor& dst, const LocalTensor& a, Half half, int unit) {
    // The exponent that gives the lowest mantissa bit the value 2^unit.
    const float magic = power_of_two(23 + unit);
    if (half == Half::kHigh) {
        raw::shift_right_logical(dst, a, 16);
    } else {
        raw::bit_and(dst, a, 0xFFFFu);
    }
    raw::bit_or(dst, dst, float_bits(magic));
    raw::subtract(dst, dst, magic);
}

void signed_high_half_to_float(const LocalTensor& dst, const LocalTensor& a, int unit) {
    const float magic = power_of_two(23 + unit);
    raw::shift_right_logical(dst, a, 16);
    raw::bit_xor(dst, dst, float_bits(magic) | 0x8000u);  // adds 2^15 units
    raw::subtract(dst, dst, magic + power_of_two(15 + unit));
}

void signed_low_half_to_float(const LocalTensor& dst, const LocalTensor& a, int unit) {
    const float magic = power_of_two(23 + unit);
    raw::bit_and(dst, a, 0xFFFFu);
    raw::bit_xor(dst, dst, float_bits(magic) | 0x8000u);
    raw::subtract(dst, dst, magic + power_of_two(15 + unit));
}

void int32_to_float(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    if (native::converts(scratch)) return native::cast(dst, OKK_FP32, a, OKK_INT32);
    Scratch::Frame frame(scratch);
    const LocalTensor low = frame.plane(dst.shape);
    unsigned_half_to_float(low, a, Half::kLow, 0);
    signed_high_half_to_float(dst, a, 16);
    raw::add(dst, dst, low);
}

void small_int32_to_float(const LocalTensor& dst, const LocalTensor& a) {
    raw::bit_and(dst, a, kFractionField);
    raw::bit_xor(dst, dst, float_bits(rounding_magic(0)));
    raw::subtract(dst, dst, rounding_magic(0));
}

void round_to_int32(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) {
    if (native::converts(scratch)) return native::cast(dst, OKK_INT32, a, OKK_FP32);
    round_even(dst, a, scratch);
    raw::to_int32(dst, dst);
}

void round_to_int32(const LocalTensor& dst, const LocalTensor& a, float low, float high,
                    Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor clamped = frame.plane(dst.shape);
    raw::maximum(clamped, a, low);
    raw::minimum(clamped, clamped, high);
    round_to_int32(dst, clamped, scratch);
}

WideTensor interleaved_words(local_addr_t address, const dim4& shape, const Lanes& lanes) {
    const int channel = isa::narrow(lanes.whole_lines(std::int64_t{shape.h} * shape.w * 2));
    const int slots = isa::narrow(lanes.slots(shape.c));
    const dim4 stride{channel * slots, channel, 2 * shape.w, 2};
    return {{address, shape, stride}, {address + 4, shape, stride}};
}

}  // namespace okksim::kernels::prim
