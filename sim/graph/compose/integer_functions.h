// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/operator_builder.h"

/// Element-wise functions of kI32, kI16 and kI8 values. The result has the type of `x`; types that
/// an operator of TOSA lacks are computed in kI32 and keep their low bits. Dimensions of 1
/// broadcast, and a lower rank gets leading ones.
namespace okksim::sim::graph::compose {

/// The quotient rounded towards zero. Divisors must not be zero.
TensorIndex integer_divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
/// The quotient rounded towards minus infinity.
TensorIndex integer_floor_divide(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
/// The remainder of the divisor's sign.
TensorIndex integer_floor_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
/// The remainder of the dividend's sign.
TensorIndex integer_c_modulo(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
/// x^y where kI32 holds it. Negative exponents give the integer part of the power: 0, or +-1 for
/// x = +-1; a base of 0 gives 0.
TensorIndex integer_power(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
/// Takes a known exponent.
TensorIndex integer_power_of(OperatorBuilder& ops, TensorIndex x, std::int64_t exponent);
/// -1, 0 or 1.
TensorIndex integer_sign(OperatorBuilder& ops, TensorIndex x);
/// The least number is its own magnitude and its own negative.
TensorIndex integer_absolute(OperatorBuilder& ops, TensorIndex x);
TensorIndex integer_negative(OperatorBuilder& ops, TensorIndex x);
/// Sums and differences of kI32 must fit it, as TOSA requires. Products, and results of kI8 and
/// kI16, keep their low bits.
TensorIndex integer_add(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
TensorIndex integer_subtract(OperatorBuilder& ops, TensorIndex x, TensorIndex y);
TensorIndex integer_multiply(OperatorBuilder& ops, TensorIndex x, TensorIndex y);

/// Shifts by amounts from 0. An amount of at least the type's width shifts everything out.
TensorIndex shift_left(OperatorBuilder& ops, TensorIndex x, TensorIndex amount);
/// Fills with zeros; for a kI32 that holds a number below 2^31 or an unsigned one.
TensorIndex shift_right_unsigned(OperatorBuilder& ops, TensorIndex x, TensorIndex amount);
/// Fills with the sign.
TensorIndex shift_right_signed(OperatorBuilder& ops, TensorIndex x, TensorIndex amount);

/// The greatest and the least of one or more operands, also of floating-point ones.
TensorIndex maximum_of(OperatorBuilder& ops, const std::vector<TensorIndex>& operands);
TensorIndex minimum_of(OperatorBuilder& ops, const std::vector<TensorIndex>& operands);

}  // namespace okksim::sim::graph::compose
