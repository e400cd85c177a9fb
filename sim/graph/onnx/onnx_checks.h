// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

// Checks of operands. Each refuses an operand with a message that names its type or shape.

void require_reals(const Call& call, std::size_t n = 0);
/// Integers or real numbers.
void require_numbers(const Call& call, std::size_t n = 0);
void require_integers(const Call& call, std::size_t n = 0);
void require_bool(const Call& call, std::size_t n = 0);
/// int32 or int64.
void require_indices(const Call& call, std::size_t n);
void require_rank(const Call& call, std::size_t n, std::size_t least);
/// Refuses a shape that does not broadcast to that of operand 0.
void require_broadcasts(const Call& call, const Value& value);

/// Checks the operand of an operator of one operand: operators of integers are few.
void check_unary(const Call& call);
/// Checks the two operands of an element-wise operator.
void check_binary(const Call& call);
/// Checks the operands of Max, Mean, Min and Sum.
void check_variadic(const Call& call);
void check_where(const Call& call);

/// Returns operand 1 of a binary operator. Operator sets before 7 broadcast it from the attribute
/// `axis` on: trailing dimensions of 1 say the same.
Value& second_operand(const Call& call);
/// Returns an operand with another shape of the same number of elements.
Value& viewed(const Call& call, Value& value, const Shape& shape);

/// Returns the number of elements. UnsupportedPart if they are too many.
std::int64_t elements_of(const Shape& shape);
/// Sets a result without elements.
void set_empty(const Call& call, std::size_t n, ElementType type, const Shape& shape);

}  // namespace okksim::sim::graph::onnx
