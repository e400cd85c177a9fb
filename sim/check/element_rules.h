// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/check/comparison_rules.h"
#include "sim/check/float_format.h"

namespace okksim::sim::check {

/// The values for the verdict on one floating-point element.
struct ElementValues {
    double got = 0.0;
    double reference = 0.0;
    double bound = 0.0;  ///< element of the bounds tensor; 0 without one
};

/// Verdict on one element.
struct Verdict {
    bool passed = true;
    double error = 0.0;         ///< |got - reference| divided by the allowed error; may be infinite
    double signed_error = 0.0;  ///< for the dot product rule: error in units of the bound
    std::string allowed;        ///< after a failure: the violated range or condition
};

/// Applies a rule to an element of a floating-point tensor. Pure.
Verdict check_element(const ElementValues& element, const Rule& rule, const FloatFormat& format);

/// Error bounds around a reference value, towards and away from zero.
struct ErrorBounds {
    double lower = 0.0;
    double upper = 0.0;
};

/// tosa_reference_check_fp_bnd (section 4.5.3) with a bound for each side.
Verdict check_within(double got, double reference, const ErrorBounds& bounds,
                     const FloatFormat& format);

/// calcAbsErrorBound (section 4.5.3) as AbsErrorRule applies it.
double absolute_error_bound(const ElementValues& element, const AbsErrorRule& rule,
                            const FloatFormat& format);

}  // namespace okksim::sim::check
