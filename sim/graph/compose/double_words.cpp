// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/double_words.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

constexpr double kBias = 1023;          // of the exponent of double precision
constexpr double kMostExponent = 2047;  // of infinity and NaN
constexpr int kFraction = 23;           // bits of fp32 after the first one

/// Formulas of i32 tensors and numbers.
class Words {
 public:
    explicit Words(OperatorBuilder& ops) : ops_(ops) {}

    TensorIndex number(TensorIndex like, double value) const {
        return ops_.number(DType::kI32, ops_.rank(like), value);
    }
    TensorIndex with(OpCode op, TensorIndex x, double value, std::string_view role) const {
        return ops_.binary(op, x, number(x, value), role);
    }
    TensorIndex bits(TensorIndex x, double mask, std::string_view role) const {
        return with(OpCode::kBitwiseAnd, x, mask, role);
    }
    TensorIndex right(TensorIndex x, int places, std::string_view role) const {
        return with(OpCode::kLogicalRightShift, x, places, role);
    }
    TensorIndex left(TensorIndex x, int places, std::string_view role) const {
        return with(OpCode::kLogicalLeftShift, x, places, role);
    }

 private:
    OperatorBuilder& ops_;
};

TensorIndex word(OperatorBuilder& ops, TensorIndex words, std::int64_t which,
                 std::string_view role) {
    Shape size = ops.shape(words);
    Shape start(size.size(), 0);
    size.back() = 1;
    start.back() = which;
    const TensorIndex part = ops.slice(words, start, size, role);
    size.pop_back();
    return ops.reshape_step(part, size, "words");
}

/// Returns 2^x for whole numbers x from `low` to `high`.
TensorIndex power_of_two(OperatorBuilder& ops, TensorIndex x, int low, int high) {
    std::vector<double> powers;
    for (int i = low; i <= high; ++i) powers.push_back(std::ldexp(1.0, i));
    const auto count = static_cast<std::int64_t>(powers.size());
    const TensorIndex table = real_values(ops, DType::kFp32, {1, count, 1}, powers, "powers");
    const Shape shape = ops.shape(x);
    const TensorIndex places = Words(ops).with(OpCode::kSub, x, low, "places");
    const std::int64_t elements = extent(shape);
    const TensorIndex found =
        ops.gather(table, ops.reshape_step(places, {1, elements}, "line"), "scale");
    return ops.reshape_step(found, shape, "scale");
}

/// Returns the first 24 bits of the numbers as whole numbers, rounded.
TensorIndex rounded_fraction(OperatorBuilder& ops, TensorIndex low, TensorIndex high,
                             SingleRounding rounding) {
    constexpr int kLost = 29;  // bits that fp32 has not
    constexpr double kLostMask = (1 << kLost) - 1, kUpper = 0xFFFFF, kFirst = 1 << kFraction;
    const Words words(ops);
    const TensorIndex upper = words.left(words.bits(high, kUpper, "upper"), 3, "upper");
    const TensorIndex kept = words.with(
        OpCode::kAdd, ops.binary(OpCode::kAdd, upper, words.right(low, kLost, "lower"), "bits"),
        kFirst, "kept");
    const TensorIndex lost = words.bits(low, kLostMask, "lost");
    if (rounding == SingleRounding::kOdd) {
        const TensorIndex any =
            words.right(words.with(OpCode::kAdd, lost, kLostMask, "trace"), kLost, "trace");
        return ops.binary(OpCode::kBitwiseOr, kept, any, "rounded");
    }
    // Half and an odd last bit, or more than half, carry.
    const TensorIndex near = words.with(OpCode::kAdd, lost, (1 << (kLost - 1)) - 1, "near");
    const TensorIndex sum = ops.binary(OpCode::kAdd, near, words.bits(kept, 1, "last_bit"), "near");
    return ops.binary(OpCode::kAdd, kept, words.right(sum, kLost, "carry"), "rounded");
}

}  // namespace

TensorIndex single_from_double(OperatorBuilder& ops, TensorIndex words, SingleRounding rounding) {
    const Words whole(ops);
    const TensorIndex low = word(ops, words, 0, "low"), high = word(ops, words, 1, "high");
    const TensorIndex exponent =
        whole.bits(whole.right(high, 20, "exponent"), kMostExponent, "exponent");
    const TensorIndex fraction = rounded_fraction(ops, low, high, rounding);
    // Two factors: neither of them leaves the range of fp32, but their product may.
    constexpr int kLeast = -176, kMost = 106;
    const TensorIndex unbiased = whole.with(OpCode::kSub, exponent, kBias + kFraction, "power");
    const TensorIndex power = whole.with(
        OpCode::kMinimum, whole.with(OpCode::kMaximum, unbiased, kLeast, "power"), kMost, "power");
    const TensorIndex half = whole.with(OpCode::kArithmeticRightShift, power, 1, "half");
    const TensorIndex rest = ops.binary(OpCode::kSub, power, half, "rest");
    const TensorIndex first = ops.product(ops.cast(fraction, DType::kFp32, "real"),
                                          power_of_two(ops, half, kLeast / 2, kMost / 2), "scaled");
    const Real size{ops,
                    ops.product(first, power_of_two(ops, rest, kLeast / 2, kMost / 2), "size")};
    const TensorIndex is_positive =
        compare(ops, OpCode::kGreaterEqual, high, whole.number(high, 0));
    const Real number = choose(is_positive, size, size * -1.0);
    const TensorIndex lower =
        ops.binary(OpCode::kBitwiseOr, low, whole.bits(high, 0xFFFFF, "upper"), "fraction");
    const TensorIndex is_last =
        compare(ops, OpCode::kEqual, exponent, whole.number(exponent, kMostExponent));
    const TensorIndex is_whole = compare(ops, OpCode::kEqual, lower, whole.number(lower, 0));
    const TensorIndex is_nan =
        ops.binary(OpCode::kLogicalAnd, is_last, logical_not(ops, is_whole), "is_nan");
    return choose(is_nan, number.number(std::numeric_limits<double>::quiet_NaN()), number).tensor();
}

TensorIndex double_from_single(OperatorBuilder& ops, TensorIndex x) {
    const Words whole(ops);
    const Real value{ops, x};
    const Real size = value.unary(OpCode::kAbs, "size");
    const TensorIndex none = whole.number(x, 0);
    TensorIndex exponent = none;
    Real scaled = size;
    const auto step = [&](TensorIndex applies, int places) {
        scaled = choose(applies, scaled * std::ldexp(1.0, -places), scaled);
        const TensorIndex more = ops.select(applies, whole.number(x, places), none, "places");
        exponent = ops.binary(OpCode::kAdd, exponent, more, "exponent");
    };
    // Powers of two change no bit. The smallest number is 2^-149.
    constexpr int kUp = 75;
    for (int i = 0; i < 2; ++i) step(is_greater(1.0, scaled), -kUp);
    for (int places = 64; places > 0; places /= 2) {
        const Real limit = scaled.number(std::ldexp(1.0, places));
        step(compare(ops, OpCode::kGreaterEqual, scaled.tensor(), limit.tensor()), places);
    }
    const TensorIndex fraction =
        ops.cast(((scaled - 1.0) * std::ldexp(1.0, kFraction)).tensor(), DType::kI32, "fraction");
    TensorIndex high =
        whole.left(whole.with(OpCode::kAdd, exponent, kBias, "biased"), 20, "exponent");
    high = ops.binary(OpCode::kAdd, high, whole.right(fraction, 3, "upper"), "high");
    TensorIndex low = whole.left(fraction, 29, "low");
    const auto special = [&](TensorIndex applies, std::int64_t bits) {
        high = ops.select(applies, whole.number(x, static_cast<double>(bits)), high, "high");
        low = ops.select(applies, none, low, "low");
    };
    special(compare(ops, OpCode::kEqual, x, value.number(0).tensor()), 0);
    special(compare(ops, OpCode::kEqual, size.tensor(), size.number(kInfinity).tensor()),
            0x7FF00000);
    special(logical_not(ops, compare(ops, OpCode::kEqual, x, x)), 0x7FF80000);
    // The reciprocal tells zeros apart.
    const TensorIndex is_negative = ops.binary(OpCode::kLogicalOr, is_greater(0.0, value),
                                               is_greater(0.0, inverse_of(value)), "is_negative");
    const TensorIndex sign = ops.select(
        is_negative, whole.number(x, std::numeric_limits<std::int32_t>::min()), none, "sign");
    high = ops.binary(OpCode::kBitwiseOr, high, sign, "high");
    Shape pair = ops.shape(x);
    pair.push_back(1);
    const TensorIndex first = ops.reshape_step(low, pair, "low");
    return ops.concat({first, ops.reshape_step(high, pair, "high")}, pair.size() - 1, "pairs");
}

}  // namespace okksim::sim::graph::compose
