// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "isa/base/errors.h"
#include "tests/reference/tosa/operators.h"

namespace okksim::reference {
namespace {

int bits_of(DType type) {
    switch (type) {
        case DType::kI4: return 4;
        case DType::kI8: return 8;
        case DType::kI16: return 16;
        case DType::kI32: return 32;
        case DType::kI48: return 48;
        default: break;
    }
    OKKSIM_CHECK(false);
}

}  // namespace

std::int64_t lowest(DType type) {
    return type == DType::kBool ? 0 : -(std::int64_t{1} << (bits_of(type) - 1));
}

std::int64_t highest(DType type) {
    return type == DType::kBool ? 1 : (std::int64_t{1} << (bits_of(type) - 1)) - 1;
}

std::int64_t wrap(DType type, std::int64_t value) {
    if (type == DType::kBool || type == DType::kShape) return value;
    const int unused = 64 - bits_of(type);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused) >> unused;
}

double maximum(double a, double b, bool ignore_nan) {
    if (std::isnan(a)) return ignore_nan ? b : a;
    if (std::isnan(b)) return ignore_nan ? a : b;
    return a >= b ? a : b;
}

double minimum(double a, double b, bool ignore_nan) {
    if (std::isnan(a)) return ignore_nan ? b : a;
    if (std::isnan(b)) return ignore_nan ? a : b;
    return a < b ? a : b;
}

std::int64_t apply_scale(std::int64_t value, std::int64_t multiplier, int shift,
                         bool double_round) {
    std::int64_t rounding = std::int64_t{1} << (shift - 1);
    if (double_round && shift > 31) rounding += value >= 0 ? 1 << 30 : -(1 << 30);
    // 48 by 16 and 32 by 32 bits: the sum fits 64 bits.
    return (value * multiplier + rounding) >> shift;
}

std::vector<double> bound_magnitudes(const Value& value, bool local) {
    std::vector<double> magnitudes;
    double largest = 0.0;
    for (const double element : value.real) {
        magnitudes.push_back(std::abs(element));
        largest = maximum(largest, magnitudes.back(), false);
    }
    if (!local) std::fill(magnitudes.begin(), magnitudes.end(), largest);
    return magnitudes;
}

}  // namespace okksim::reference
