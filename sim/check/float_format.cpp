// SPDX-License-Identifier: Apache-2.0
#include "sim/check/float_format.h"

#include <algorithm>
#include <cmath>

#include "isa/base/errors.h"

namespace okksim::sim::check {

FloatFormat float_format(graph::DType type) {
    using graph::DType;
    // Largest numbers as in section 4.5.3: 2^(e+1) minus one unit in the last place.
    const auto power = [](int exponent) { return std::ldexp(1.0, exponent); };
    switch (type) {
        case DType::kFp32: return {23, power(-126), power(128) - power(127 - 23), true, true};
        case DType::kBf16: return {7, power(-126), power(128) - power(127 - 7), true, true};
        case DType::kFp16: return {10, power(-14), power(16) - power(15 - 10), true, true};
        // The largest fraction of the top exponent is NaN, so the maximum is two steps below 2^9.
        case DType::kFp8E4M3: return {3, power(-6), power(9) - power(8 - 2), false, false};
        case DType::kFp8E5M2: return {2, power(-14), power(16) - power(15 - 2), true, false};
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI4:
        case DType::kI8:
        case DType::kI16:
        case DType::kI32:
        case DType::kI48:
        case DType::kShape: break;
    }
    OKKSIM_CHECK(!"float_format takes floating-point types");
    return {};
}

double ulp_of(double value, const FloatFormat& format) {
    if (!std::isnormal(value)) return 0.0;
    const double power = std::ldexp(1.0, std::ilogb(value));
    return std::ldexp(std::max(power, format.normal_min), -format.fraction_bits);
}

bool rounds_to_infinity(double value, const FloatFormat& format) {
    // Half a step above the largest number; the tie goes away from it, as its fraction is odd.
    const double half_step = ulp_of(format.normal_max, format) / 2;
    return std::fabs(value) >= format.normal_max + half_step;
}

}  // namespace okksim::sim::check
