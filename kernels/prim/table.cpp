// SPDX-License-Identifier: Apache-2.0
#include "kernels/prim/table.h"

#include <map>

#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {
namespace {

std::uint32_t most_frequent(std::span<const std::uint32_t> words) {
    std::map<std::uint32_t, int> counts;
    std::uint32_t best = words.front();
    for (const std::uint32_t word : words) {
        if (++counts[word] > counts[best]) best = word;
    }
    return best;
}

std::vector<std::uint32_t> byte_words(std::span<const std::int8_t> entries) {
    OKKSIM_CHECK(entries.size() == 256);
    std::vector<std::uint32_t> words(64);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        words[i / 4] |= std::uint32_t{static_cast<std::uint8_t>(entries[i])} << (8 * (i % 4));
    }
    return words;
}

/// Entry in the high half, the step to the next entry in the low half.
std::vector<std::uint32_t> slope_words(std::span<const std::int16_t> entries) {
    OKKSIM_CHECK(entries.size() == 513);
    std::vector<std::uint32_t> words;
    for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
        const auto slope = static_cast<std::uint16_t>(entries[i + 1] - entries[i]);
        words.push_back(std::uint32_t{static_cast<std::uint16_t>(entries[i])} << 16 | slope);
    }
    return words;
}

}  // namespace

WordTable::WordTable(std::span<const std::uint32_t> words) {
    OKKSIM_CHECK(!words.empty());
    std::vector<Step> at_key, from_key;
    const std::uint32_t frequent = most_frequent(words);
    for (std::size_t k = 0; k < words.size(); ++k) {
        const auto key = static_cast<std::uint32_t>(k);
        if (words[k] != frequent) at_key.push_back({key, words[k] ^ frequent});
        if (k > 0 && words[k] != words[k - 1]) from_key.push_back({key, words[k] ^ words[k - 1]});
    }
    by_threshold_ = from_key.size() < at_key.size();
    base_ = by_threshold_ ? words.front() : frequent;
    steps_ = by_threshold_ ? std::move(from_key) : std::move(at_key);
}

void WordTable::run(const LocalTensor& dst, const LocalTensor& key, Scratch& scratch) const {
    if (steps_.empty()) {
        raw::fill(dst, base_);
        return;
    }
    Scratch::Frame frame(scratch);
    const LocalTensor chosen = frame.plane(dst.shape);
    if (by_threshold_) raw::bit_or(key, key, kIntegerMagicBits);
    bool first = true;
    for (const Step& step : steps_) {
        const LocalTensor& target = first ? dst : chosen;
        if (by_threshold_) {
            raw::select_greater(target, key, kIntegerMagic + static_cast<float>(step.key) - 1.0f,
                                step.bits);
        } else {
            raw::select_equal(target, key, step.key, step.bits);
        }
        if (!first) raw::bit_xor(dst, dst, chosen);
        first = false;
    }
    if (base_ != 0) raw::bit_xor(dst, dst, base_);
}

ByteTable::ByteTable(std::span<const std::int8_t> entries) : words_(byte_words(entries)) {}

void ByteTable::run(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const LocalTensor key = frame.plane(dst.shape);
    const LocalTensor amount = frame.plane(dst.shape);
    const LocalTensor word = frame.plane(dst.shape);
    raw::bit_xor(key, a, 0x80u);
    // The byte's distance from the top of its word.
    raw::bit_and(amount, key, 3u);
    raw::bit_xor(amount, amount, 3u);
    raw::shift_left(amount, amount, 3);
    raw::bit_and(key, key, 0xFCu);
    raw::shift_right_logical(key, key, 2);
    words_.run(word, key, scratch);
    raw::shift_logical(word, word, amount);
    raw::shift_right_arithmetic(dst, word, 24);
}

void ByteTable::look_up(const LocalTensor& dst, const LocalTensor& a, local_addr_t table) {
    okk_bdc_lookup8(dst.address, a.address, table, &dst.shape, dst.strides(), a.strides(),
                    OKK_INT32, OKK_INT32);
}

void InterpolatedTable::look_up(const LocalTensor& dst, const LocalTensor& a, local_addr_t table) {
    okk_bdc_lookup16(dst.address, a.address, table, &dst.shape, dst.strides(), a.strides(),
                     OKK_INT32, OKK_INT32);
}

InterpolatedTable::InterpolatedTable(std::span<const std::int16_t> entries)
    : words_(slope_words(entries)) {}

void InterpolatedTable::run(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const LocalTensor key = frame.plane(dst.shape);
    const LocalTensor fraction = frame.plane(dst.shape);
    const LocalTensor word = frame.plane(dst.shape);
    raw::bit_and(fraction, a, 0x7Fu);
    raw::byte_to_float(fraction, fraction);
    raw::bit_xor(key, a, 0x8000u);
    raw::bit_and(key, key, 0xFFFFu);
    raw::shift_right_logical(key, key, 7);
    words_.run(word, key, scratch);
    // entry * 2^7 + slope * fraction: below 2^23, exact.
    signed_low_half_to_float(key, word, 0);
    raw::multiply(key, key, fraction);
    signed_high_half_to_float(word, word, 7);
    raw::add(word, word, key);
    raw::to_int32(dst, word);
}

}  // namespace okksim::kernels::prim
