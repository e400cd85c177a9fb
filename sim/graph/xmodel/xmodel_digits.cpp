// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_digits.h"

#include <algorithm>

namespace okksim::sim::graph::xmodel {

namespace {

constexpr std::int32_t kBase = 256;
constexpr int kDigitBits = 8;
constexpr std::size_t kWordBytes = 4;

}  // namespace

TensorIndex Digits::word(TensorIndex x, int index) {
    Shape size = ops_.shape(x);
    Shape start(size.size(), 0);
    start.back() = index;
    size.back() = 1;
    const TensorIndex part = ops_.slice(x, start, size, index == 0 ? "low" : "high");
    size.pop_back();
    return ops_.reshape(part, size, index == 0 ? "low_word" : "high_word");
}

TensorIndex Digits::pair(TensorIndex low, TensorIndex high) {
    Shape shape = ops_.shape(low);
    shape.push_back(1);
    return ops_.concat({ops_.reshape(low, shape, "low"), ops_.reshape(high, shape, "high")},
                       shape.size() - 1, "words");
}

TensorIndex Digits::shifted_right(TensorIndex x, int bits) {
    return ops_.binary(OpCode::kArithmeticRightShift, x, number(x, bits), "shifted");
}

// Let t be a byte plus the carry (0 or 1). The digit is t; from 128 on it is t - 256 with a carry
// of 1. The byte with the sign is a digit without change.
std::vector<TensorIndex> Digits::split(const ElementType& type, TensorIndex x, bool is_exact) {
    if (type.bytes() == 1) return {x};
    std::vector<TensorIndex> words;
    if (type.is_wide()) {
        words = {word(x, 0), word(x, 1)};
    } else {
        words = {ops_.cast(x, DType::kI32, "widened")};
    }
    std::vector<TensorIndex> digits;
    std::optional<TensorIndex> carry;
    for (std::size_t i = 0; i < type.bytes(); ++i) {
        const TensorIndex from = words[i / kWordBytes];
        const int shift = static_cast<int>(i % kWordBytes) * kDigitBits;
        TensorIndex byte = shift == 0 ? from : shifted_right(from, shift);
        if (i + 1 < type.bytes()) {
            byte = ops_.binary(OpCode::kBitwiseAnd, byte, number(byte, kBase - 1), "byte");
        }
        if (carry) byte = ops_.binary(OpCode::kAdd, byte, *carry, "with_carry");
        digits.push_back(ops_.cast(byte, DType::kI8, "digit"));
        const TensorIndex half = ops_.binary(OpCode::kAdd, byte, number(byte, kBase / 2), "half");
        carry = shifted_right(half, kDigitBits);
    }
    if (is_exact) digits.push_back(ops_.cast(*carry, DType::kI8, "last_carry"));
    return digits;
}

TensorIndex Digits::joined_word(DType type, const std::vector<TensorIndex>& bytes) {
    TensorIndex word = bytes[0];
    for (std::size_t i = 1; i < bytes.size(); ++i) {
        const auto bits = static_cast<std::int32_t>(i) * kDigitBits;
        const TensorIndex placed =
            ops_.binary(OpCode::kLogicalLeftShift, bytes[i], number(word, bits), "placed");
        word = ops_.binary(OpCode::kBitwiseOr, word, placed, "joined");
    }
    return ops_.cast(word, type, "narrowed");
}

TensorIndex Digits::join(const ElementType& type, std::vector<TensorIndex> sums) {
    if (type.bytes() == 1) return ops_.cast(sums[0], DType::kI8, "narrowed");
    sums.resize(std::min(sums.size(), type.bytes()));
    std::vector<TensorIndex> bytes;
    std::optional<TensorIndex> carry;
    for (std::size_t i = 0; i < type.bytes(); ++i) {
        TensorIndex sum = i < sums.size() ? sums[i] : *carry;
        if (carry && i < sums.size()) sum = ops_.binary(OpCode::kAdd, sum, *carry, "carried");
        bytes.push_back(ops_.binary(OpCode::kBitwiseAnd, sum, number(sum, kBase - 1), "byte"));
        carry = shifted_right(sum, kDigitBits);
    }
    if (!type.is_wide()) return joined_word(type.device_type(), bytes);
    const auto middle = bytes.begin() + kWordBytes;
    return pair(joined_word(DType::kI32, {bytes.begin(), middle}),
                joined_word(DType::kI32, {middle, bytes.end()}));
}

std::vector<TensorIndex> Digits::divide(const std::vector<TensorIndex>& sums, TensorIndex divisor) {
    std::vector<TensorIndex> quotients(sums.size());
    std::optional<TensorIndex> rest;
    for (std::size_t i = sums.size(); i-- > 0;) {
        TensorIndex value = sums[i];
        if (rest) {
            const TensorIndex high = ops_.product(*rest, number(*rest, kBase), "rest_high");
            value = ops_.binary(OpCode::kAdd, high, value, "dividend");
        }
        quotients[i] = ops_.binary(OpCode::kIntdiv, value, divisor, "quotient");
        const TensorIndex whole = ops_.product(quotients[i], divisor, "multiple");
        rest = ops_.binary(OpCode::kSub, value, whole, "rest");
    }
    return quotients;
}

}  // namespace okksim::sim::graph::xmodel
