// SPDX-License-Identifier: Apache-2.0
#include "sim/check/comparison_rules.h"

#include <fmt/format.h>

namespace okksim::sim::check {

namespace {

struct RuleText {
    std::string operator()(const ExactRule&) const { return "exact (TOSA 1.10)"; }
    std::string operator()(const UlpRule& rule) const {
        return rule.ulp_lower ? fmt::format("within {} ulp above and {} ulp below (TOSA 4.5.3)",
                                            rule.ulp, *rule.ulp_lower)
                              : fmt::format("within {} ulp (TOSA 4.5.3)", rule.ulp);
    }
    std::string operator()(const DotProductRule& rule) const {
        return fmt::format(
            "dot product, test set {}, absolute bound {}, variance bound {} (TOSA 1.10.3)",
            rule.set, rule.abs_bound, rule.variance_error_bound);
    }
    std::string operator()(const ReduceProductRule& rule) const {
        return fmt::format("product of {} elements (TOSA 2.9.5)", rule.count);
    }
    std::string operator()(const RelativeRule& rule) const {
        return fmt::format("relative, {} of {} or {} ulp (TOSA 2.12.1)", rule.scale, rule.magnitude,
                           rule.ulp_bound);
    }
    std::string operator()(const AbsErrorRule& rule) const {
        return fmt::format("absolute error, base bound {}, lower bound {} (TOSA 4.5.3)",
                           rule.base_bound, rule.lower_bound);
    }
    std::string operator()(const FloatSpecialRule&) const {
        return "special values: kind and sign only";
    }
    std::string operator()(const RescaleInexactRule&) const {
        return "inexact rescale, between the limits (TOSA 2.13.2)";
    }
    std::string operator()(const ToleranceRule& rule) const {
        return fmt::format("tolerance, relative {}, absolute {}", rule.relative, rule.absolute);
    }
    std::string operator()(const DifferenceRule& rule) const {
        if (rule.is_exact()) return "exact";
        std::string text = fmt::format("difference of at most {}", rule.absolute);
        if (rule.relative > 0) text += fmt::format(" and {} of the reference", rule.relative);
        if (rule.share > 0) {
            text += fmt::format(", and at most {} for {} % of the elements", rule.near,
                                rule.share * 100);
        }
        return text;
    }
};

}  // namespace

std::string rule_text(const Rule& rule) { return std::visit(RuleText{}, rule); }

}  // namespace okksim::sim::check
