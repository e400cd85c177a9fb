// SPDX-License-Identifier: Apache-2.0
// BDC functions on 32-bit elements: copy, fp32 binary, compare and select, logic, shifts, per
// channel.
#include "tests/reference/okk/functions.h"

namespace okksim::tests::reference {

namespace {

using UnaryRule = std::function<Word(Word)>;
using BinaryRule = std::function<Word(Word, Word)>;
/// (old destination, source 0, source 1)
using UpdateRule = std::function<Word(Word, Word, Word)>;

void unary(Call& call, const UnaryRule& rule) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src_stride = call.stride();
    const Tensor dst = call.words(dst_address, shape, dst_stride);
    const Tensor src = call.words(src_address, shape, src_stride);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        dst.set_word(n, c, h, w, rule(src.word(n, c, h, w)));
    });
}

void copy(Call& call) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const Extents shape = call.shape();
    auto dst_stride = call.stride();
    auto src_stride = call.stride();
    if (call.options.sdk_quirks) std::swap(dst_stride, src_stride);
    const Tensor dst = call.words(dst_address, shape, dst_stride);
    const Tensor src = call.words(src_address, shape, src_stride);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        dst.set_word(n, c, h, w, src.word(n, c, h, w));
    });
}

void set_constant(Call& call) {
    const std::int64_t address = call.integer();
    const Word value = call.bits();
    const Extents shape = call.shape();
    const Tensor dst = call.words(address, shape, call.stride());
    for_each_element(shape,
                     [&](auto n, auto c, auto h, auto w) { dst.set_word(n, c, h, w, value); });
}

void update(Call& call, const UpdateRule& rule, bool selects = false) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src0_address = call.integer();
    const std::int64_t src1_address = call.integer();
    const Word selected = selects ? call.bits() : 0;
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src0_stride = call.stride();
    const auto src1_stride = call.stride();
    const Tensor dst = call.words(dst_address, shape, dst_stride);
    const Tensor src0 = call.words(src0_address, shape, src0_stride);
    const Tensor src1 = call.words(src1_address, shape, src1_stride);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        const Word a = src0.word(n, c, h, w);
        const Word b = src1.word(n, c, h, w);
        const Word outcome = rule(dst.word(n, c, h, w), a, b);
        dst.set_word(n, c, h, w, selects ? (outcome != 0 ? selected : 0) : outcome);
    });
}

/// Functions with a constant C; the rule gets (old destination, source, C).
void update_constant(Call& call, const UpdateRule& rule, bool selects = false) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const Word constant = call.bits();
    const Word selected = selects ? call.bits() : 0;
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src_stride = call.stride();
    const Tensor dst = call.words(dst_address, shape, dst_stride);
    const Tensor src = call.words(src_address, shape, src_stride);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        const Word outcome = rule(dst.word(n, c, h, w), src.word(n, c, h, w), constant);
        dst.set_word(n, c, h, w, selects ? (outcome != 0 ? selected : 0) : outcome);
    });
}

/// okk_bdc_bias, okk_bdc_scale and okk_bdc_scale_bias.
void per_channel(Call& call, bool scales, bool biases) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const std::int64_t scale_address = scales ? call.integer() : 0;
    const std::int64_t bias_address = biases ? call.integer() : 0;
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src_stride = call.stride();
    const Extents channel_shape{1, shape.c, 1, 1};
    const Tensor dst = call.words(dst_address, shape, dst_stride);
    const Tensor src = call.words(src_address, shape, src_stride);
    const Tensor scale = Tensor::compact(call.image, scale_address, 4, channel_shape);
    const Tensor bias = Tensor::compact(call.image, bias_address, 4, channel_shape);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        Word x = src.word(n, c, h, w);
        if (scales) x = multiply(x, scale.word(0, c, 0, 0));
        // Scaling alone adds 0, but not when a stride is given (SEMANTICS.md 3).
        if (biases) x = add(x, bias.word(0, c, 0, 0));
        if (!biases && !dst_stride && !src_stride) x = add(x, 0);
        dst.set_word(n, c, h, w, x);
    });
}

Word arithmetic_shift(Word value, Word amount) {
    return static_cast<Word>(
        shift(static_cast<std::int32_t>(value), static_cast<std::int32_t>(amount)));
}
Word logical_shift(Word value, Word amount) {
    return static_cast<Word>(shift(std::int64_t{value}, static_cast<std::int32_t>(amount)));
}

/// okk_bdc_<name>, okk_bdc_<name>_C and, when order matters, okk_bdc_C_<name>.
void add_binary(FunctionTable& table, const std::string& name, const BinaryRule& rule,
                const std::string& constant_first = "") {
    table["okk_bdc_" + name] = [=](Call& call) {
        update(call, [&](Word, Word a, Word b) { return rule(a, b); });
    };
    table["okk_bdc_" + name + "_C"] = [=](Call& call) {
        update_constant(call, [&](Word, Word a, Word b) { return rule(a, b); });
    };
    if (constant_first.empty()) return;
    table["okk_bdc_" + constant_first] = [=](Call& call) {
        update_constant(call, [&](Word, Word a, Word b) { return rule(b, a); });
    };
}

void add_selects(FunctionTable& table) {
    const UpdateRule is_greater = [](Word, Word a, Word b) { return greater(a, b) ? 1U : 0U; };
    const UpdateRule is_less = [](Word, Word a, Word b) { return greater(b, a) ? 1U : 0U; };
    const UpdateRule is_same = [](Word, Word a, Word b) { return a == b ? 1U : 0U; };
    table["okk_bdc_greater_select_value"] = [=](Call& c) { update(c, is_greater, true); };
    table["okk_bdc_greater_C_select_value"] = [=](Call& c) {
        update_constant(c, is_greater, true);
    };
    table["okk_bdc_C_greater_select_value"] = [=](Call& c) { update_constant(c, is_less, true); };
    table["okk_bdc_equal_select_value"] = [=](Call& c) { update(c, is_same, true); };
    table["okk_bdc_equal_C_select_value"] = [=](Call& c) { update_constant(c, is_same, true); };
}

}  // namespace

void add_element_functions(FunctionTable& table) {
    table["okk_bdc_32bit_cpy"] = copy;
    table["okk_bdc_32bit_set_C"] = set_constant;

    add_binary(table, "add", add);
    add_binary(table, "sub", subtract, "C_sub");
    add_binary(table, "mul", multiply);
    add_binary(table, "div", divide, "C_div");
    add_binary(table, "max", maximum);
    add_binary(table, "min", minimum);
    const UpdateRule accumulate = [](Word old, Word a, Word b) { return multiply_add(a, b, old); };
    table["okk_bdc_mac"] = [=](Call& c) { update(c, accumulate); };
    table["okk_bdc_mac_C"] = [=](Call& c) { update_constant(c, accumulate); };
    add_selects(table);

    add_binary(table, "32bit_and", [](Word a, Word b) { return a & b; });
    add_binary(table, "32bit_or", [](Word a, Word b) { return a | b; });
    add_binary(table, "32bit_xor", [](Word a, Word b) { return a ^ b; });
    add_binary(table, "32bit_arithmetic_shift", arithmetic_shift, "32bit_C_arithmetic_shift");
    add_binary(table, "32bit_logical_shift", logical_shift, "32bit_C_logical_shift");

    table["okk_bdc_reciprocal"] = [](Call& c) { unary(c, reciprocal); };
    table["okk_bdc_neg"] = [](Call& c) { unary(c, negate); };
    table["okk_bdc_relu"] = [](Call& c) { unary(c, relu); };
    table["okk_bdc_bias"] = [](Call& c) { per_channel(c, false, true); };
    table["okk_bdc_scale"] = [](Call& c) { per_channel(c, true, false); };
    table["okk_bdc_scale_bias"] = [](Call& c) { per_channel(c, true, true); };
}

}  // namespace okksim::tests::reference
