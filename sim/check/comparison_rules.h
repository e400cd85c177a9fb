// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace okksim::sim::check {

// The rules for outputs. "ref" is the reference value (computed in double precision), "bnd" the
// bound tensor and "imp" the implementation's value. Sections are those of TOSA 1.0.1.

/// Integers and booleans are equal bit for bit. Floating-point values are equal; NaN equals NaN
/// (1.10.3).
struct ExactRule {};

/// |imp - ref| <= ulp units in the last place of ref. If given, `ulp_lower` applies towards zero
/// (4.5.3).
struct UlpRule {
    double ulp = 0.0;
    std::optional<double> ulp_lower;
};

/// tosa_reference_check_dotproduct (1.10.3).
struct DotProductRule {
    std::int64_t set = 0;  ///< test set S: 3, 4 and 5 also bound the sum of errors
    double abs_bound = 0.0;
    double variance_error_bound = 0.0;
    double products = 0.0;  ///< KSB, from which the bounds follow
};

/// Product of `count` elements (2.9.5).
struct ReduceProductRule {
    std::int64_t count = 0;
};

/// |imp - ref| <= max(magnitude * scale, ulp_bound units in the last place of ref) (2.12.1).
struct RelativeRule {
    double magnitude = 0.0;
    double scale = 0.0;
    double ulp_bound = 0.0;
};

/// calcAbsErrorBound (4.5.3) with bounds_value = bnd + base_bound and bound_magnitude = ref. With
/// `bound_as_magnitude`, bounds_value = base_bound and bound_magnitude = bnd. The bound is at least
/// `max_compare`.
struct AbsErrorRule {
    double base_bound = 0.0;
    double lower_bound = 0.0;
    double normal_divisor = 1.0;
    bool bound_as_magnitude = false;
    std::optional<double> max_compare;
};

/// Data with NaN and infinities: only the class of a value and its sign are compared.
struct FloatSpecialRule {};

/// RESCALE with INEXACT_ROUND: ref <= imp <= bnd as integers (2.13.2).
struct RescaleInexactRule {
    bool is_unsigned = false;
};

/// |imp - ref| <= absolute + relative * |ref|, for graphs of several operators, for which the
/// specification has no rule. Integers are compared exactly.
struct ToleranceRule {
    double relative = 0.0;
    double absolute = 0.0;
};

/// For outputs of .onnx and .tflite models, as numbers of any element type. All elements have
/// |imp - ref| <= absolute + relative * |ref|, and a `share` of them has |imp - ref| <= near.
/// Without any allowance, integers are equal bit for bit.
struct DifferenceRule {
    double relative = 0.0;
    double absolute = 0.0;
    double near = 0.0;
    double share = 0.0;  ///< from 0 to 1

    bool is_exact() const { return relative == 0 && absolute == 0; }
};

using Rule =
    std::variant<ExactRule, UlpRule, DotProductRule, ReduceProductRule, RelativeRule, AbsErrorRule,
                 FloatSpecialRule, RescaleInexactRule, ToleranceRule, DifferenceRule>;

/// Returns the rule in words, with its parameters and the specification's section.
std::string rule_text(const Rule& rule);

}  // namespace okksim::sim::check
