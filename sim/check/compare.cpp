// SPDX-License-Identifier: Apache-2.0
#include "sim/check/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "isa/base/errors.h"
#include "sim/check/array_compare.h"
#include "sim/check/element_rules.h"
#include "sim/check/values.h"

namespace okksim::sim::check {

namespace {

/// Collects the verdicts of the elements.
class Judge {
 public:
    Judge(CheckResult& result, const graph::Shape& shape) : result_(result), shape_(shape) {}

    void add(std::uint64_t index, const Verdict& verdict, const std::string& got,
             const std::string& wanted) {
        ++result_.failures;
        const Mismatch mismatch{coordinates(index, shape_), got, wanted, verdict.allowed};
        if (!result_.first) result_.first = mismatch;
        if (!result_.worst || verdict.error > worst_error_) {
            result_.worst = mismatch;
            worst_error_ = verdict.error;
        }
    }

 private:
    CheckResult& result_;
    const graph::Shape& shape_;
    double worst_error_ = 0.0;
};

void compare_integers(const Values& got, const Values& low, const Values& high, bool is_unsigned,
                      const graph::HostTensor& tensor, CheckResult& result) {
    Judge judge(result, tensor.shape);
    const int bits = graph::storage_bits(tensor.type);
    const auto value_of = [&](const Values& values, std::uint64_t i) {
        const std::int64_t value = values.integer(i);
        return is_unsigned && value < 0 ? value + (std::int64_t{1} << bits) : value;
    };
    for (std::uint64_t i = 0; i < result.elements; ++i) {
        const std::int64_t value = value_of(got, i);
        const std::int64_t least = value_of(low, i);
        const std::int64_t most = value_of(high, i);
        if (least <= value && value <= most) continue;
        Verdict verdict;
        verdict.error = std::fabs(static_cast<double>(value) - static_cast<double>(least));
        const bool is_range = least != most;
        if (is_range) verdict.allowed = fmt::format("{} to {}", least, most);
        judge.add(i, verdict, std::to_string(value), std::to_string(value < least ? least : most));
    }
}

/// The part of the dot product rule that concerns the whole tensor.
struct ErrorSums {
    double sum = 0.0;
    double sum_of_squares = 0.0;

    void check(const DotProductRule& rule, std::uint64_t elements, CheckResult& result) const {
        const double count = static_cast<double>(elements);
        const double bias_limit = std::sqrt(10.0 * rule.variance_error_bound * count);
        if (rule.set >= 3 && rule.set <= 5 && std::fabs(sum) > bias_limit) {
            result.problem =
                fmt::format("the errors are biased: their sum is {} units of the bound (limit {})",
                            sum, bias_limit);
        }
        if (sum_of_squares > rule.variance_error_bound * count) {
            result.problem = fmt::format(
                "the errors vary too much: the sum of their squares is {} square units of the "
                "bound (limit {})",
                sum_of_squares, rule.variance_error_bound * count);
        }
    }
};

/// Finds rules that judge nothing, and bounds that contradict the reference. A NaN passes every
/// comparison.
class RuleCheck {
 public:
    explicit RuleCheck(const Rule& rule)
        : is_sum_(std::holds_alternative<DotProductRule>(rule)),
          is_used_(is_sum_ || std::holds_alternative<AbsErrorRule>(rule)),
          is_for_special_values_(std::holds_alternative<FloatSpecialRule>(rule)) {
        const auto* absolute = std::get_if<AbsErrorRule>(&rule);
        is_signed_ = absolute != nullptr && absolute->bound_as_magnitude;
    }

    void add(const ElementValues& element, bool has_bounds) {
        if (!std::isfinite(element.reference) || element.reference == 0) ++special_values_;
        if (!has_bounds || !is_used_ || !std::isfinite(element.reference)) return;
        ++references_;
        if (std::isfinite(element.bound)) ++bounds_;
        const double bound = is_signed_ ? std::fabs(element.bound) : element.bound;
        // A sum of magnitudes is at least the magnitude of the sum.
        constexpr double kRounding = 1e-6;
        const double least = is_sum_ ? std::fabs(element.reference) * (1 - kRounding) : 0.0;
        if (!(bound >= least)) {
            throw ConfigError("bounds_file",
                              fmt::format("has {}, but must be at least {} for the reference {}",
                                          element.bound, least, element.reference));
        }
    }
    void finish() const {
        if (references_ > 0 && bounds_ == 0) {
            throw ConfigError("bounds_file", "has no finite value, so the rule judges nothing");
        }
        if (is_for_special_values_ && special_values_ == 0) {
            throw ConfigError("mode",
                              "FP_SPECIAL judges no finite values, but the reference has no NaN, "
                              "infinity or 0; name the operator's rule");
        }
    }

 private:
    bool is_sum_;
    bool is_used_;
    bool is_for_special_values_;
    bool is_signed_ = false;  ///< bounds are the operator's input
    std::uint64_t special_values_ = 0;
    std::uint64_t references_ = 0;
    std::uint64_t bounds_ = 0;
};

bool needs_bounds(const Rule& rule) {
    return std::holds_alternative<DotProductRule>(rule) ||
           std::holds_alternative<RescaleInexactRule>(rule);
}

void compare_reals(const graph::HostTensor& tensor, const Values& got, const Values& reference,
                   const Values* bounds, const Rule& rule, CheckResult& result) {
    const FloatFormat format = float_format(tensor.type);
    Judge judge(result, tensor.shape);
    ErrorSums sums;
    RuleCheck rule_check(rule);
    for (std::uint64_t i = 0; i < result.elements; ++i) {
        ElementValues element{got.real(i), reference.real(i), 0.0};
        if (bounds != nullptr) element.bound = bounds->real(i);
        rule_check.add(element, bounds != nullptr);
        const Verdict verdict = check_element(element, rule, format);
        sums.sum += verdict.signed_error;
        sums.sum_of_squares += verdict.signed_error * verdict.signed_error;
        if (std::isfinite(verdict.error)) {
            result.largest_error = std::fmax(result.largest_error, verdict.error);
        }
        if (!verdict.passed) {
            judge.add(i, verdict, real_text(element.got), real_text(element.reference));
        }
    }
    rule_check.finish();
    if (const auto* dot = std::get_if<DotProductRule>(&rule)) {
        sums.check(*dot, result.elements, result);
    }
}

void check_shape(const graph::NpyArray& array, const graph::HostTensor& got, const char* what) {
    if (array.shape == got.shape) return;
    throw ConfigError(what, "has shape " + graph::shape_text(array.shape) +
                                " where the output has " + graph::shape_text(got.shape));
}

}  // namespace

CheckResult compare(const graph::HostTensor& got, const graph::NpyArray& reference,
                    const graph::NpyArray* bounds, const Rule& rule) {
    if (const auto* difference = std::get_if<DifferenceRule>(&rule)) {
        const graph::NpyArray array{graph::npy_descr(got.type, got.is_unsigned, got.words),
                                    graph::host_element_bytes(got.type), got.shape, got.data,
                                    got.owner};
        return compare_arrays(array, reference, *difference);
    }
    CheckResult result;
    result.rule = rule_text(rule);
    if (got.shape != reference.shape) {
        result.problem = "shape " + graph::shape_text(got.shape) + " instead of " +
                         graph::shape_text(reference.shape);
        return result;
    }
    result.elements = graph::element_count(got.shape).value_or(0);
    if (result.elements == 0) {
        result.problem =
            "shape " + graph::shape_text(got.shape) +
            " has no elements, so there is nothing to compare; a tensor has at least one element";
        return result;
    }
    if (bounds == nullptr && needs_bounds(rule)) {
        throw ConfigError("bounds_file", "the rule needs a bounds tensor");
    }
    if (bounds != nullptr) check_shape(*bounds, got, "bounds_file");
    const Values values(got);
    const Values wanted(reference, got, "reference");
    std::optional<Values> limits;
    if (bounds != nullptr) limits.emplace(*bounds, got, "bounds_file");
    if (graph::is_floating_point(got.type)) {
        compare_reals(got, values, wanted, limits ? &*limits : nullptr, rule, result);
    } else if (const auto* inexact = std::get_if<RescaleInexactRule>(&rule)) {
        compare_integers(values, wanted, *limits, inexact->is_unsigned, got, result);
    } else {
        compare_integers(values, wanted, wanted, got.is_unsigned, got, result);
    }
    result.passed = result.failures == 0 && result.problem.empty();
    return result;
}

}  // namespace okksim::sim::check
