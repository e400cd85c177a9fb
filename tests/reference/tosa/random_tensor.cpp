// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/tosa/random_tensor.h"

#include <cmath>
#include <limits>

#include "tests/reference/tosa/operators.h"

namespace okksim::tests {
namespace {

using reference::DType;

double random_special(const reference::FloatFormat& format, bool no_nan, RandomSource& random) {
    switch (random.below(no_nan ? 6 : 7)) {
        case 0: return std::numeric_limits<double>::infinity();
        case 1: return -std::numeric_limits<double>::infinity();
        case 2: return 0.0;
        case 3: return -0.0;
        case 4: return format.largest;
        case 5: return -format.largest;
        default: return std::numeric_limits<double>::quiet_NaN();
    }
}

double random_real(DType type, const Domain& domain, RandomSource& random) {
    const reference::FloatFormat format = reference::float_format(type);
    if (domain.specials && random.one_in(6)) {
        const double special = random_special(format, domain.no_nan, random);
        // fp8e4m3 has no infinity.
        return type == DType::kFp8E4M3 && std::isinf(special)
                   ? std::copysign(format.largest, special)
                   : special;
    }
    const double unit = static_cast<double>(random.bits() >> 11) * 0x1p-53;
    const double value = reference::round_to(type, domain.low + (domain.high - domain.low) * unit);
    return std::abs(value) < std::ldexp(1.0, format.lowest_exponent) ? 0.0 : value;
}

}  // namespace

reference::Value random_value(sim::graph::DType type, const sim::graph::Shape& shape,
                              const Domain& domain, RandomSource& random) {
    reference::Value value = reference::make_value(type, shape);
    for (double& element : value.real) element = random_real(type, domain, random);
    const bool whole = domain.lowest == domain.highest;
    // Few different values make ties.
    const bool few = domain.specials && random.one_in(2);
    for (std::int64_t& element : value.integer) {
        const std::int64_t low = whole ? reference::lowest(type) : domain.lowest;
        const std::int64_t high = whole ? reference::highest(type) : domain.highest;
        element = few ? low + (high - low) / 3 * random.below(4) : random.between(low, high);
        // The file format refuses the smallest int4.
        if (type == DType::kI4 && element < -7) element = -7;
    }
    return value;
}

}  // namespace okksim::tests
