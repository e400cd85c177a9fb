// SPDX-License-Identifier: Apache-2.0
#include "sim/check/element_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/base/errors.h"

namespace okksim::sim::check {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns the error for a report. NaN counts as an infinite error.
double reported(double error) {
    if (std::isnan(error)) return kInfinity;
    return error;
}

Verdict failed(double error, std::string allowed) {
    return {false, reported(error), 0.0, std::move(allowed)};
}

double error_ratio(double distance, double allowed) {
    if (distance == 0.0) return 0.0;
    return allowed > 0.0 ? distance / allowed : kInfinity;
}

Verdict check_dot_product(const ElementValues& e, const DotProductRule& rule,
                          const FloatFormat& format) {
    if (std::isnan(e.reference)) {
        return std::isnan(e.got) ? Verdict{} : failed(kInfinity, "NaN");
    }
    const double half_ulp = std::ldexp(1.0, -1 - format.fraction_bits);
    // Above these values the accuracy has no limit.
    if (std::isnan(e.bound) ||
        rounds_to_infinity(e.bound * (1.0 + rule.abs_bound * half_ulp), format)) {
        return {};
    }
    if (e.bound == 0.0) {
        return e.got == 0.0 && e.reference == 0.0 ? Verdict{}
                                                  : failed(kInfinity, "0: all products are 0");
    }
    const double unit = std::max(e.bound * half_ulp, format.normal_min);
    const double error = (e.got - e.reference) / unit;
    const double ratio = error_ratio(std::fabs(error), rule.abs_bound);
    // Not `error > bound`: a NaN must not pass.
    if (!(std::fabs(error) <= rule.abs_bound)) {
        const double allowed = rule.abs_bound * unit;
        Verdict verdict =
            failed(ratio, fmt::format("{} to {}", e.reference - allowed, e.reference + allowed));
        verdict.signed_error = reported(error);
        return verdict;
    }
    return {true, ratio, error, {}};
}

Verdict check_special(const ElementValues& e) {
    const bool got_nan = std::isnan(e.got);
    const bool reference_nan = std::isnan(e.reference);
    if (e.got == 0.0 && e.reference == 0.0) return {};
    if (got_nan && (reference_nan || std::isnan(e.bound))) return {};
    if (got_nan == reference_nan && std::isfinite(e.got) == std::isfinite(e.reference) &&
        std::signbit(e.got) == std::signbit(e.reference)) {
        return {};
    }
    return failed(kInfinity, "same kind of value and sign");
}

Verdict check_tolerance(const ElementValues& e, const ToleranceRule& rule) {
    if (std::isnan(e.reference) && std::isnan(e.got)) return {};
    if (e.got == e.reference) return {};  // infinities
    const double allowed = rule.absolute + rule.relative * std::fabs(e.reference);
    const double distance = std::fabs(e.got - e.reference);
    const double ratio = error_ratio(distance, allowed);
    if (std::isfinite(distance) && distance <= allowed) return {true, ratio, 0.0, {}};
    return failed(ratio, fmt::format("{} to {}", e.reference - allowed, e.reference + allowed));
}

double reduce_product_bound(double reference, const ReduceProductRule& rule,
                            const FloatFormat& format) {
    const double step = std::ldexp(1.0, -format.fraction_bits - 1);
    return std::max(std::fabs(reference), format.normal_min) *
           (std::pow(1.0 + step, static_cast<double>(rule.count)) - 1.0);
}

struct ElementCheck {
    const ElementValues& e;
    const FloatFormat& format;

    Verdict within(double bound) const {
        return check_within(e.got, e.reference, {bound, bound}, format);
    }

    Verdict operator()(const ExactRule&) const { return within(0.0); }
    Verdict operator()(const UlpRule& rule) const {
        const double ulp = ulp_of(e.reference, format);
        return check_within(e.got, e.reference,
                            {ulp * rule.ulp_lower.value_or(rule.ulp), ulp * rule.ulp}, format);
    }
    Verdict operator()(const DotProductRule& rule) const {
        return check_dot_product(e, rule, format);
    }
    Verdict operator()(const ReduceProductRule& rule) const {
        return within(reduce_product_bound(e.reference, rule, format));
    }
    Verdict operator()(const RelativeRule& rule) const {
        return within(
            std::max(rule.magnitude * rule.scale, rule.ulp_bound * ulp_of(e.reference, format)));
    }
    Verdict operator()(const AbsErrorRule& rule) const {
        return within(absolute_error_bound(e, rule, format));
    }
    Verdict operator()(const FloatSpecialRule&) const { return check_special(e); }
    Verdict operator()(const RescaleInexactRule&) const {
        OKKSIM_CHECK(!"RESCALE has integer outputs");
        return {};
    }
    Verdict operator()(const ToleranceRule& rule) const { return check_tolerance(e, rule); }
    Verdict operator()(const DifferenceRule&) const {
        OKKSIM_CHECK(!"compare_arrays() judges outputs of models");
        return {};
    }
};

}  // namespace

Verdict check_within(double got, double reference, const ErrorBounds& bounds,
                     const FloatFormat& format) {
    if (std::isnan(reference)) {
        return std::isnan(got) ? Verdict{} : failed(kInfinity, "NaN");
    }
    if (!std::isfinite(bounds.lower) && !std::isfinite(bounds.upper)) return {};
    const double sign = reference < 0.0 ? -1.0 : 1.0;
    const double value = got * sign;
    double high = reference * sign + bounds.upper;
    double low = reference * sign - bounds.lower;
    if (high > format.normal_max) high = kInfinity;
    if (low > format.normal_max) low = kInfinity;
    if (low < -format.normal_max) low = -kInfinity;

    if (low <= value && value <= high) {
        const double distance = value - reference * sign;
        const double allowed = distance < 0.0 ? bounds.lower : bounds.upper;
        const double ratio =
            std::isfinite(distance) ? error_ratio(std::fabs(distance), allowed) : 0;
        return {true, std::isfinite(ratio) ? ratio : 0.0, 0.0, {}};
    }
    // Subnormal results may be flushed to zero.
    if (format.may_flush_subnormals && value == 0.0 && low < format.normal_min) return {};
    // A format without infinity represents an overflow as NaN.
    if (std::isnan(got) && !format.has_infinity && std::isinf(high)) return {};

    const double distance = std::fabs(value - reference * sign);
    const double allowed = value < low ? bounds.lower : bounds.upper;
    return failed(error_ratio(distance, allowed),
                  fmt::format("{} to {}", sign < 0 ? -high : low, sign < 0 ? -low : high));
}

double absolute_error_bound(const ElementValues& e, const AbsErrorRule& rule,
                            const FloatFormat& format) {
    const double bounds_value =
        rule.bound_as_magnitude ? rule.base_bound : e.bound + rule.base_bound;
    const double magnitude = std::fabs(rule.bound_as_magnitude ? e.bound : e.reference);
    double bound = 0.0;
    // Infinity times zero would be NaN.
    if (std::isfinite(bounds_value) || magnitude != 0.0) {
        double value_bound = std::max(magnitude, format.normal_min);
        if (rule.lower_bound > 0.0 && bounds_value > 0.0) {
            value_bound = std::max(rule.lower_bound / bounds_value, value_bound);
        }
        const int exponent = static_cast<int>(-format.fraction_bits / rule.normal_divisor);
        bound = std::ldexp(value_bound, exponent) * bounds_value;
    }
    return rule.max_compare ? std::max(bound, *rule.max_compare) : bound;
}

Verdict check_element(const ElementValues& element, const Rule& rule, const FloatFormat& format) {
    return std::visit(ElementCheck{element, format}, rule);
}

}  // namespace okksim::sim::check
