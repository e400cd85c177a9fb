// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/graph/host_tensor.h"
#include "sim/graph/npy.h"

namespace okksim::reference {

using sim::graph::DType;
using sim::graph::Shape;

/// A tensor of the reference executor, row-major: double precision for floating point (not rounded
/// to the type, except by CAST), exact integers otherwise.
struct Value {
    DType type = DType::kUnknown;
    Shape shape;
    std::vector<double> real;           ///< of floating-point types
    std::vector<std::int64_t> integer;  ///< of the others; bool 0 or 1
    /// The bound of the comparison rules, for example the sum of absolute products. Empty for
    /// operators without a bound.
    std::vector<double> bound;
    /// Limits of a RESCALE with INEXACT_ROUND (2.13.2); `integer` is the result of SINGLE_ROUND.
    std::vector<std::int64_t> least, most;

    bool is_float() const;
    std::int64_t count() const;
};

/// A value of zeros.
Value make_value(DType type, const Shape& shape);
Value from_host(const sim::graph::HostTensor& tensor);
/// The value rounded to its type (nearest even; overflow gives infinity, or NaN for fp8e4m3).
sim::graph::HostTensor to_host(const Value& value);
/// An array as the comparison rules expect it: double precision ("<f8"), or integers of their
/// element type.
sim::graph::NpyArray to_array(const Value& value);
/// The bound as an array; must not be empty.
sim::graph::NpyArray bound_array(const Value& value);

/// The limits as separate values.
Value least_value(const Value& value);
Value most_value(const Value& value);

/// Number of significand bits after the point, exponent of the smallest normal number and the
/// largest finite value of a floating-point type.
struct FloatFormat {
    int fraction;
    int lowest_exponent;
    double largest;
};
FloatFormat float_format(DType type);
/// x rounded to a type's nearest value (ties to even) as a double.
double round_to(DType type, double x);

/// Elements of a shape.
std::int64_t elements(const Shape& shape);
/// Row-major strides.
std::vector<std::int64_t> strides_of(const Shape& shape);
/// Calls visit(index, flat) for every position, row-major.
void for_each_position(const Shape& shape,
                       const std::function<void(const Shape& index, std::int64_t flat)>& visit);

}  // namespace okksim::reference
