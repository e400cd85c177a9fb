// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph_types.h"

namespace okksim::sim::check {

/// Properties of a floating-point type for the comparison rules (TOSA 1.0.1 section 4.5.3).
struct FloatFormat {
    int fraction_bits = 0;             ///< normal_frac
    double normal_min = 0.0;           ///< smallest normal number
    double normal_max = 0.0;           ///< largest finite number
    bool has_infinity = true;          ///< false for fp8e4m3_t
    bool may_flush_subnormals = true;  ///< false for the fp8 types
};

/// Returns the format of a floating-point type. Other types are an internal error.
FloatFormat float_format(graph::DType type);

/// Returns one unit in the last place at `value` (tosa_reference_ulp). It is 0 for zero,
/// infinities, NaN and values that are subnormal in double precision.
double ulp_of(double value, const FloatFormat& format);

/// True if rounding to the format overflows: static_cast<out_t>(value) == infinity.
bool rounds_to_infinity(double value, const FloatFormat& format);

}  // namespace okksim::sim::check
