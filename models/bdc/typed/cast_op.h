// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/operands.h"
#include "models/bdc/typed/float_elements.h"

namespace okksim::models::typed_ops {

/// A number of one type in another: integers are values, floating point is its bits.
struct Cast {
    explicit Cast(const isa::Cast& form) : to(form.dst_type), from(form.src_type) {
        to_float = is_floating_point(to);
        from_float = is_floating_point(from);
        if (!to_float) range = isa::element_range(to);
    }
    static constexpr int kSources = 1;

    std::int64_t operator()(std::int64_t value) const {
        if (!from_float && !to_float) return value;  // wrapped or saturated when it is stored
        if (from_float && to_float) return bits_of(real(value));
        return from_float ? nearest(real(value)) : bits_of(static_cast<double>(value));
    }

    isa::ElementType to, from;
    bool to_float, from_float;
    isa::ElementRange range;

 private:
    double real(std::int64_t value) const {
        const auto bits = static_cast<std::uint32_t>(value);
        if (from != isa::ElementType::kFp32) {
            return half_value(from, static_cast<std::uint16_t>(bits));
        }
        const auto number = std::bit_cast<float>(bits);
        // Denormals are zeros; a NaN compares false.
        const bool is_denormal = std::abs(number) < std::numeric_limits<float>::min();
        return is_denormal ? std::copysign(0.0f, number) : number;
    }
    std::int64_t bits_of(double value) const {
        const auto number = static_cast<float>(value);
        // Rounded once.
        const bool is_fast = to != isa::ElementType::kFp32 && static_cast<double>(number) == value;
        return is_fast ? half_bits(to, number)
                       : static_cast<std::int64_t>(float_bits_of(to, value));
    }
    /// Ties to even, saturated; a NaN is the greatest integer.
    std::int64_t nearest(double value) const {
        if (std::isnan(value) || value >= static_cast<double>(range.high)) return range.high;
        if (value <= static_cast<double>(range.low)) return range.low;
        return std::llrint(value);
    }
};

}  // namespace okksim::models::typed_ops
