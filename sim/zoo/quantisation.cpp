// SPDX-License-Identifier: Apache-2.0
#include "sim/zoo/quantisation.h"

#include <algorithm>
#include <cmath>

#include "isa/base/errors.h"

namespace okksim::sim::zoo {

std::int8_t Quantisation::quantise(double real) const {
    const double q = std::nearbyint(real / scale) + zero_point;
    return static_cast<std::int8_t>(std::clamp(q, -128.0, 127.0));
}

Quantisation quantise_range(const Range& range) {
    const double scale = (range.high - range.low) / 255.0;
    const double zero_point = std::nearbyint(-128.0 - range.low / scale);
    return {scale, static_cast<int>(std::clamp(zero_point, -128.0, 127.0))};
}

Scaling scaling_of(double factor) {
    int exponent = 0;
    const double fraction = std::frexp(factor, &exponent);  // 0.5 to 1
    auto multiplier = static_cast<std::int64_t>(std::nearbyint(std::ldexp(fraction, 31)));
    if (multiplier == std::int64_t{1} << 31) {
        multiplier /= 2;
        ++exponent;
    }
    const int shift = 31 - exponent;
    OKKSIM_CHECK(shift >= 2 && shift <= 62);
    return {static_cast<std::int32_t>(multiplier), shift};
}

std::uint16_t to_fp16(double value) {
    const double magnitude = std::abs(value);
    OKKSIM_CHECK(magnitude < 65520.0);
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    if (magnitude == 0.0) return sign;
    // Units of the last place: 2^-24 for subnormal numbers, else 2^(exponent - 10).
    const int exponent = std::max(std::ilogb(magnitude), -14);
    const auto units =
        static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    // A carry out of the significand increments the exponent.
    return static_cast<std::uint16_t>(sign |
                                      (units + (static_cast<std::uint32_t>(exponent + 14) << 10)));
}

}  // namespace okksim::sim::zoo
