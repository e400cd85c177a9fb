// SPDX-License-Identifier: Apache-2.0
// BDC functions in the fixed layouts: conversions, tables, roots, exponentials.
#include "tests/reference/okk/functions.h"

namespace okksim::tests::reference {

namespace {

constexpr int kDefaultSeries = 32;

constexpr Word kInfinity = 0x7F800000;

/// The Newton steps are invalid at zero, at infinity and below zero; limits replace them there.
Word rsqrt_command(Word x) {
    const Word value = flush(x);
    const Word sign = value & 0x80000000;
    if (is_nan(x)) return kNan;
    if (value == sign) return kInfinity | sign;
    if (sign != 0) return kNan;
    return value == kInfinity ? 0 : rsqrt(x);
}

Word sqrt_command(Word x) {
    const Word value = flush(x);
    const Word sign = value & 0x80000000;
    if (is_nan(x)) return kNan;
    if (value == sign) return value;
    if (sign != 0) return kNan;
    return value == kInfinity ? kInfinity : square_root(x);
}

void aligned_unary(Call& call, const std::function<Word(Word)>& rule) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const Extents shape = call.shape();
    const Tensor dst = Tensor::aligned(call.image, dst_address, 4, shape);
    const Tensor src = Tensor::aligned(call.image, src_address, 4, shape);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        dst.set_word(n, c, h, w, rule(src.word(n, c, h, w)));
    });
}

using SeriesRule = Word (*)(Word, int);

/// In-place exp and tanh subtract trunc(x) from itself: they use the integer part of x.
template <SeriesRule kRule>
Word of_whole_part(Word x, int terms) {
    return kRule(lookup_int32_to_fp32(to_int32(x)), terms);
}

/// dst, src, [work,] shape [, num_series]
void series(Call& call, SeriesRule rule, bool has_work, bool tunable,
            SeriesRule in_place = nullptr) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    if (has_work) call.integer();
    const Extents shape = call.shape();
    const int terms = tunable ? static_cast<int>(call.integer()) : kDefaultSeries;
    if (in_place != nullptr && dst_address == src_address) rule = in_place;
    const Tensor dst = Tensor::aligned(call.image, dst_address, 4, shape);
    const Tensor src = Tensor::aligned(call.image, src_address, 4, shape);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        dst.set_word(n, c, h, w, rule(src.word(n, c, h, w), terms));
    });
}

/// 8-bit tensors with one byte per element; "compact" rounds the channel up to whole words.
Tensor byte_tensor(Call& call, std::int64_t address, const Extents& shape, bool is_aligned) {
    if (is_aligned) return Tensor::aligned(call.image, address, 1, shape);
    const std::int64_t slots = Tensor::slots(call.image, address, shape.c);
    return Tensor::local(call.image, address, 1, aligned_strides(shape, slots, 4));
}

void int8_to_fp32(Call& call, bool packed) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    call.integer();  // work
    const Extents shape = call.shape();
    const bool is_signed = call.flag();
    const bool is_aligned = call.flag();
    const Tensor dst = is_aligned ? Tensor::aligned(call.image, dst_address, 4, shape)
                                  : Tensor::compact(call.image, dst_address, 4, shape);
    const Extents words{ceiling(shape.n, 4), shape.c, shape.h, shape.w};
    const std::int64_t slots = Tensor::slots(call.image, src_address, shape.c);
    const PackedTensor packed_src =
        call.packed(src_address, shape,
                    is_aligned ? aligned_strides(words, slots, call.image.line_bytes / 4)
                               : compact_strides(words, slots),
                    8);
    const Tensor byte_src = byte_tensor(call, src_address, shape, is_aligned);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        std::int64_t value = 0;
        if (packed) {
            value = packed_src.load(n, c, h, w, is_signed);
        } else {
            value = *byte_src.at(n, c, h, w);
            if (is_signed && value >= 128) value -= 256;
        }
        dst.set_word(n, c, h, w, from_float(static_cast<float>(value)));
    });
}

}  // namespace

void add_series_functions(FunctionTable& table) {
    table["okk_bdc_fp32_to_int32"] = [](Call& c) {
        aligned_unary(c, [](Word x) { return static_cast<Word>(to_int32(x)); });
    };
    table["okk_bdc_lookup_int32_to_fp32"] = [](Call& c) {
        aligned_unary(c, [](Word x) { return lookup_int32_to_fp32(static_cast<std::int32_t>(x)); });
    };
    table["okk_bdc_lookup_exp"] = [](Call& c) {
        aligned_unary(c, [](Word x) { return lookup_exp(static_cast<std::int32_t>(x)); });
    };
    table["okk_bdc_4N_int8_to_fp32"] = [](Call& c) { int8_to_fp32(c, true); };
    table["okk_bdc_int8_to_fp32"] = [](Call& c) { int8_to_fp32(c, false); };
    table["okk_bdc_rsqrt"] = [](Call& c) { aligned_unary(c, rsqrt_command); };
    table["okk_bdc_sqrt"] = [](Call& c) { aligned_unary(c, sqrt_command); };
    table["okk_bdc_taylor_exp"] = [](Call& c) { series(c, taylor_exp, false, true); };
    table["okk_bdc_exp"] = [](Call& c) {
        series(c, exponential, true, false, of_whole_part<exponential>);
    };
    table["okk_bdc_exp_tunable"] = [](Call& c) {
        series(c, exponential, true, true, of_whole_part<exponential>);
    };
    table["okk_bdc_sigmoid"] = [](Call& c) { series(c, sigmoid, true, false); };
    table["okk_bdc_sigmoid_tunable"] = [](Call& c) { series(c, sigmoid, true, true); };
    table["okk_bdc_tanh"] = [](Call& c) {
        series(c, hyperbolic_tangent, true, false, of_whole_part<hyperbolic_tangent>);
    };
    table["okk_bdc_tanh_tunable"] = [](Call& c) {
        series(c, hyperbolic_tangent, true, true, of_whole_part<hyperbolic_tangent>);
    };
}

}  // namespace okksim::tests::reference
