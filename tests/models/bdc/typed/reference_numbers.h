// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/types.h"

namespace okksim::tests {

/// An integer type in which no product of two 64-bit numbers overflows.
__extension__ typedef __int128 Wide;

constexpr Wide power_of_two(int exponent) { return Wide{1} << exponent; }
/// Greatest integer that is not above a / b, b > 0.
constexpr Wide floor_quotient(Wide a, Wide b) {
    const Wide quotient = a / b;
    return quotient * b > a ? quotient - 1 : quotient;
}
/// The number that is equal to `value` modulo 2^bits, signed or not.
constexpr Wide modulo(Wide value, int bits, bool is_signed) {
    const Wide rest = value - floor_quotient(value, power_of_two(bits)) * power_of_two(bits);
    return is_signed && rest >= power_of_two(bits - 1) ? rest - power_of_two(bits) : rest;
}
constexpr Wide limited(Wide value, Wide low, Wide high) {
    return value < low ? low : value > high ? high : value;
}

/// Properties of an element type.
struct TypeFacts {
    int bytes = 0;
    int bits = 0;  ///< significant bits
    bool is_signed = false;
    int exponent_bits = 0;  ///< of floating-point types
    int fraction_bits = 0;
    bool has_denormals = false;

    bool is_float() const { return exponent_bits != 0; }
    Wide low() const { return is_signed ? -power_of_two(bits - 1) : 0; }
    Wide high() const { return power_of_two(is_signed ? bits - 1 : bits) - 1; }
};
TypeFacts facts_of(isa::ElementType type);

/// Converts an element (bits of floating-point types, value of integer types) to another type.
Wide cast_number(Wide value, isa::ElementType from, isa::ElementType to);

/// Converts a floating-point element to fp32, and fp32 to such an element; fp32 denormals become
/// zero.
float float_number(Wide bits, isa::ElementType from);
Wide float_element(float value, isa::ElementType to);

}  // namespace okksim::tests
