// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_fixed.h"

#include <algorithm>
#include <cmath>

namespace okksim::sim::graph::xmodel {

namespace {

constexpr int kMultiplierBits = 30;
constexpr int kMostShift = 62;         // of RESCALE
constexpr std::int64_t kBeyond = 512;  // integers that saturate with every rounding

double rounded(double value, Rounding rounding) {
    switch (rounding) {
        case Rounding::kHalfUp: return std::floor(value + 0.5);
        case Rounding::kHalfAway: return std::round(value);
        case Rounding::kHalfEven: return std::nearbyint(value);
    }
    return value;
}

}  // namespace

// RESCALE rounds half up, and requires |x| < 2^(shift - 1) and a 32-bit result. For halves away
// from zero, negative numbers are first decremented. For halves to even, every number is
// decremented unless the remaining digit is odd.
TensorIndex FixedPoint::scaled(TensorIndex x, int cut, Rounding rounding, std::int64_t bound) {
    cut = std::min(cut, kMostShift - kMultiplierBits);  // larger cuts leave less than a half
    const std::int64_t limit = std::int64_t{1} << std::min(31, kMultiplierBits - 1 + cut);
    const std::int64_t beyond = cut > 0 ? kBeyond << cut : kBeyond;
    if (bound >= limit || (cut < 0 && bound >= std::int64_t{1} << (30 + cut))) {
        const auto most = static_cast<double>(std::min<std::int64_t>(beyond, 0x7FFFFFFF));
        x = ops_.binary(OpCode::kMaximum, x, number(x, -most), "from_below");
        x = ops_.binary(OpCode::kMinimum, x, number(x, most), "limited");
    }
    if (cut > 0 && cut < 32) {
        const auto shifted = [&](int bits) {
            return ops_.binary(OpCode::kArithmeticRightShift, x, number(x, bits), "shifted");
        };
        if (rounding == Rounding::kHalfAway) {
            x = ops_.binary(OpCode::kAdd, x, shifted(31), "lowered");
        } else if (rounding == Rounding::kHalfEven) {
            const TensorIndex odd =
                ops_.binary(OpCode::kBitwiseAnd, shifted(cut), number(x, 1), "odd");
            const TensorIndex drop = ops_.binary(OpCode::kSub, odd, number(x, 1), "drop");
            x = ops_.binary(OpCode::kAdd, x, drop, "lowered");
        }
    }
    return ops_.rescale(x, DType::kI8, 1 << kMultiplierBits, kMultiplierBits + cut, "scaled");
}

TensorIndex FixedPoint::moved(TensorIndex x, int from, int to, Rounding rounding) {
    if (from == to) return x;
    if (from > to && rounding != Rounding::kHalfUp) {
        return scaled(ops_.cast(x, DType::kI32, "widened"), from - to, rounding, 128);
    }
    const int cut =
        std::clamp(from - to, -8, kMostShift - kMultiplierBits);  // 2^8: all values saturate
    return ops_.rescale(x, DType::kI8, 1 << kMultiplierBits, kMultiplierBits + cut, "moved");
}

// With n = q d + r and 0 <= r < d, half up is q + (2 r >= d). Half away is half up of |n|, with the
// sign. Half to even adds 1 if 2 r > d, or if 2 r = d and q is odd.
TensorIndex FixedPoint::divided(TensorIndex numerator, std::int32_t divisor, Rounding rounding) {
    const TensorIndex d = number(numerator, divisor), one = number(numerator, 1);
    const auto binary = [&](OpCode op, TensorIndex x, TensorIndex y, const char* role) {
        return ops_.binary(op, x, y, role);
    };
    const TensorIndex sign =
        binary(OpCode::kArithmeticRightShift, numerator, number(numerator, 31), "sign");
    TensorIndex n = numerator;
    if (rounding == Rounding::kHalfAway) {
        // (n ^ sign) - sign is |n|.
        n = binary(OpCode::kSub, binary(OpCode::kBitwiseXor, n, sign, "mirrored"), sign,
                   "magnitude");
    }
    TensorIndex q = binary(OpCode::kIntdiv, n, d, "truncated");
    TensorIndex r = binary(OpCode::kSub, n, ops_.product(q, d, "multiple"), "rest");
    // INTDIV rounds towards zero, so a negative n may have a negative remainder.
    const TensorIndex low = binary(OpCode::kArithmeticRightShift, r, number(r, 31), "rest_sign");
    q = binary(OpCode::kAdd, q, low, "quotient");
    r = binary(OpCode::kAdd, r, binary(OpCode::kBitwiseAnd, low, d, "one_more"), "remainder");
    TensorIndex twice = binary(OpCode::kAdd, r, r, "twice");
    if (rounding == Rounding::kHalfEven) {
        const TensorIndex odd = binary(OpCode::kBitwiseAnd, q, one, "odd");
        twice = binary(OpCode::kSub, binary(OpCode::kAdd, twice, odd, "odd_up"), one, "even_down");
    }
    const TensorIndex is_up = ops_.test(OpCode::kGreaterEqual, twice, d, "is_up");
    q = binary(OpCode::kAdd, q, ops_.cast(is_up, DType::kI32, "up"), "rounded");
    if (rounding == Rounding::kHalfAway) {
        q = binary(OpCode::kSub, binary(OpCode::kBitwiseXor, q, sign, "mirrored"), sign, "signed");
    }
    return scaled(q, 0, Rounding::kHalfUp, std::int64_t{1} << 31);
}

TensorIndex FixedPoint::activated(const NodeView& node, TensorIndex x, int fix_point,
                                  Rounding rounding) {
    const std::string kind = node.text("nonlinear", "NONE");
    if (kind == "NONE" || kind.empty()) return x;
    if (kind == "RELU") return ops_.clamp(x, 0, 127, "relu");
    if (kind == "RELU6") {
        const double six = rounded(std::ldexp(6.0, std::min(fix_point, 16)), rounding);
        return ops_.clamp(x, 0, std::min(six, 127.0), "relu6");
    }
    throw UnsupportedPart("nonlinear " + kind, false);
}

}  // namespace okksim::sim::graph::xmodel
