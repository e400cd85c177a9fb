// SPDX-License-Identifier: Apache-2.0
#include "sim/check/tolerance_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <span>
#include <string_view>

#include "sim/check/float_format.h"

namespace okksim::sim::check {
namespace {

/// Limits of one operator. Its section of the specification gives the numbers.
struct Limits {
    std::string_view op;
    double ulp = 0;         ///< tosa_reference_check_fp
    double ulp_lower = 0;   ///< towards zero
    double base_fp32 = 0;   ///< calcAbsErrorBound: part of bounds_value that no input changes
    double base_other = 0;  ///< the same for other types
    double lower_bound = 0;
    double normal_divisor = 1;
    bool bound_as_magnitude = false;
    double least_error = 0;  ///< in units of the smallest normal number
};

// TOSA 0.90 lets results of the first five rows be rounded towards zero, and gives LOG 5 ulp.
constexpr Limits kLimits[] = {
    {.op = "ADD", .ulp = 0.5, .ulp_lower = 1},
    {.op = "SUB", .ulp = 0.5, .ulp_lower = 1},
    {.op = "MUL", .ulp = 0.5, .ulp_lower = 1},
    {.op = "CEIL", .ulp = 0.5, .ulp_lower = 1},
    {.op = "FLOOR", .ulp = 0.5, .ulp_lower = 1},
    {.op = "CAST", .ulp = 0.5, .ulp_lower = 1},
    {.op = "ERF", .ulp = 5, .ulp_lower = 5},
    {.op = "RECIPROCAL", .ulp = 1, .ulp_lower = 1},
    {.op = "RSQRT", .ulp = 2, .ulp_lower = 2},
    {.op = "LOG", .ulp = 5, .ulp_lower = 5, .base_fp32 = 5, .base_other = 5, .lower_bound = 0.5},
    {.op = "SIGMOID", .base_fp32 = 2, .base_other = 2},
    {.op = "TANH", .base_fp32 = 12, .base_other = 4, .lower_bound = 0.5},
    {.op = "EXP", .base_fp32 = 3, .base_other = 1},
    {.op = "POW", .base_fp32 = 3, .base_other = 1},
    {.op = "COS", .base_fp32 = 1, .base_other = 1, .normal_divisor = 2, .bound_as_magnitude = true},
    {.op = "SIN",
     .base_fp32 = 2,
     .base_other = 2,
     .normal_divisor = 2,
     .bound_as_magnitude = true,
     .least_error = std::numbers::pi},
};

/// Limits of a test that names no operator, or one without a row, such as a graph of several ones.
constexpr Limits kAnyOperator{.op = {},
                              .ulp = 5,
                              .ulp_lower = 5,
                              .base_fp32 = 12,
                              .base_other = 5,
                              .lower_bound = 0.5,
                              .normal_divisor = 2,
                              .bound_as_magnitude = true,
                              .least_error = std::numbers::pi};

constexpr Limits kNoError{.op = {}};
/// Operators whose results are exact, because they select or move values.
constexpr std::string_view kExactOperators[] = {
    "ABS",     "ARGMAX",     "CLAMP",   "CONCAT", "CONST", "GATHER",     "IDENTITY",
    "MAXIMUM", "MAX_POOL2D", "MINIMUM", "NEGATE", "PAD",   "REDUCE_MAX", "REDUCE_MIN",
    "RESHAPE", "REVERSE",    "SCATTER", "SELECT", "SLICE", "TILE",       "TRANSPOSE"};
/// Operators with the rule of dot products.
constexpr std::string_view kDotProducts[] = {"CONV2D",
                                             "CONV3D",
                                             "DEPTHWISE_CONV2D",
                                             "FULLY_CONNECTED",
                                             "MATMUL",
                                             "TRANSPOSE_CONV2D",
                                             "FFT2D",
                                             "RFFT2D",
                                             "REDUCE_SUM",
                                             "AVG_POOL2D",
                                             "CONV2D_BLOCK_SCALED",
                                             "MATMUL_T_BLOCK_SCALED"};

bool is_one_of(std::span<const std::string_view> names, const std::string& op) {
    return std::ranges::find(names, std::string_view(op)) != names.end();
}

// RESIZE (2.12.1).
constexpr double kRelativeScale = 0.006;
constexpr double kRelativeUlp = 20;
// Dot products (1.10.3): two rounding errors for each product, and their variance.
constexpr double kBoundOfProduct = 2;
constexpr double kVarianceOfProduct = 4 * 0.4;
/// Most elements of a tensor, and so of the factors of one result (1.11.1).
constexpr double kMostElements = 2147483647.0;
constexpr double kMostTestSet = 5;
/// Relative distance of numbers of a file, which are rounded decimals.
constexpr double kRounding = 1e-6;

const Limits& limits_of(const std::string& op) {
    if (is_one_of(kExactOperators, op)) return kNoError;
    const auto* row = std::ranges::find(kLimits, std::string_view(op), &Limits::op);
    return row == std::end(kLimits) ? kAnyOperator : *row;
}

using Excess = std::optional<ExcessiveTolerance>;

/// Returns an excess unless 0 <= value <= most.
Excess beyond(const char* key, double value, double most, const JudgedTensor& tensor) {
    if (value >= 0 && value <= most * (1 + kRounding)) return std::nullopt;
    const std::string whose = tensor.op.empty() ? "any operator" : tensor.op;
    return ExcessiveTolerance{
        key, fmt::format("{} must be a number from 0 to {}, the specification's limit for {}",
                         value, most, whose)};
}

struct Excesses {
    const JudgedTensor& tensor;

    template <typename... Checks>
    static Excess first(Checks... checks) {
        Excess found;
        for (const Excess& check : {checks...}) {
            if (check && !found) found = check;
        }
        return found;
    }

    Excess operator()(const ExactRule&) const { return {}; }
    Excess operator()(const FloatSpecialRule&) const { return {}; }
    Excess operator()(const RescaleInexactRule&) const { return {}; }
    Excess operator()(const UlpRule& rule) const {
        const Limits& limits = limits_of(tensor.op);
        return first(
            beyond("ulp_info.ulp", rule.ulp, limits.ulp, tensor),
            beyond("ulp_info.ulp_lower", rule.ulp_lower.value_or(0), limits.ulp_lower, tensor));
    }
    Excess operator()(const DotProductRule& rule) const {
        const double products = rule.products;
        return first(
            beyond("dot_product_info.s", static_cast<double>(rule.set), kMostTestSet, tensor),
            beyond("dot_product_info.ksb", products, most_products(), tensor),
            beyond("dot_product_info.abs_bound", rule.abs_bound, kBoundOfProduct * products,
                   tensor),
            beyond("dot_product_info.variance_error_bound", rule.variance_error_bound,
                   kVarianceOfProduct * products, tensor));
    }
    /// Each product has a factor of an input for itself. The bias is one more product. The window
    /// of AVG_POOL2D may exceed its input.
    double most_products() const {
        if (tensor.op == "REDUCE_SUM" && tensor.most_extent) {
            return static_cast<double>(*tensor.most_extent);
        }
        if (tensor.op == "AVG_POOL2D" || !tensor.input_elements) return kMostElements;
        return static_cast<double>(*tensor.input_elements) + 1;
    }
    /// At most the extent of an axis. Without an input's shape, a number of factors must be so
    /// small that the rule refuses 0 for other values.
    Excess operator()(const ReduceProductRule& rule) const {
        const auto factors = static_cast<double>(rule.count);
        const char* key = "reduce_product_info.n";
        if (tensor.most_extent) {
            return beyond(key, factors, static_cast<double>(*tensor.most_extent), tensor);
        }
        if (!graph::is_floating_point(tensor.type)) return {};
        const double step = std::ldexp(1.0, -float_format(tensor.type).fraction_bits - 1);
        return beyond(key, factors, std::floor(std::log(2.0) / std::log1p(step)), tensor);
    }
    Excess operator()(const RelativeRule& rule) const {
        const double largest = graph::is_floating_point(tensor.type)
                                   ? float_format(tensor.type).normal_max
                                   : std::numeric_limits<double>::max();
        return first(beyond("relative_info.max", rule.magnitude, largest, tensor),
                     beyond("relative_info.scale", rule.scale, kRelativeScale, tensor),
                     beyond("relative_info.ulp_bound", rule.ulp_bound, kRelativeUlp, tensor));
    }
    Excess operator()(const AbsErrorRule& rule) const {
        const Limits& limits = limits_of(tensor.op);
        const double base =
            tensor.type == graph::DType::kFp32 ? limits.base_fp32 : limits.base_other;
        const double least = graph::is_floating_point(tensor.type)
                                 ? limits.least_error * float_format(tensor.type).normal_min
                                 : 0;
        return first(
            beyond("abs_error_info.base_bound", rule.base_bound, base, tensor),
            beyond("abs_error_info.lower_bound", rule.lower_bound, limits.lower_bound, tensor),
            beyond("abs_error_info.normal_divisor", rule.normal_divisor, limits.normal_divisor,
                   tensor),
            beyond("abs_error_info.max_compare", rule.max_compare.value_or(0), least, tensor),
            beyond("abs_error_info.bound_as_magnitude", rule.bound_as_magnitude ? 1 : 0,
                   limits.bound_as_magnitude ? 1 : 0, tensor));
    }
    /// The specification has no rule for graphs of several operators. A relative error of 1 accepts
    /// 0 for every value.
    Excess operator()(const ToleranceRule& rule) const {
        return first(beyond("rtol", rule.relative, 1 - kRounding, tensor),
                     beyond("atol", rule.absolute, std::numeric_limits<float>::max(), tensor));
    }
    Excess operator()(const DifferenceRule& rule) const {
        return first(beyond("rtol", rule.relative, 1 - kRounding, tensor),
                     beyond("atol, max_diff or step", rule.absolute,
                            std::numeric_limits<float>::max(), tensor),
                     beyond("min_equal", rule.share, 1 - kRounding, tensor));
    }
};

/// Returns the operator that alone has this rule, or "" if several have it.
std::string_view only_operator(const Rule& rule) {
    if (std::holds_alternative<ReduceProductRule>(rule)) return "REDUCE_PRODUCT";
    if (std::holds_alternative<RelativeRule>(rule)) return "RESIZE";
    if (std::holds_alternative<RescaleInexactRule>(rule)) return "RESCALE";
    return {};
}

/// Returns an excess if the specification has another rule for the operator.
Excess foreign_mode(const Rule& rule, const JudgedTensor& tensor) {
    if (tensor.op.empty()) return {};
    const std::string_view only = only_operator(rule);
    const bool is_dot_product = std::holds_alternative<DotProductRule>(rule);
    if (only.empty() ? !is_dot_product || is_one_of(kDotProducts, tensor.op) : only == tensor.op) {
        return {};
    }
    return ExcessiveTolerance{
        "mode", fmt::format("is the rule of {}, and the test is of {}; name the operator's rule",
                            only.empty() ? "dot products" : only, tensor.op)};
}

}  // namespace

Excess excessive_tolerance(const Rule& rule, const JudgedTensor& tensor) {
    const Excess mode = foreign_mode(rule, tensor);
    return mode ? mode : std::visit(Excesses{tensor}, rule);
}

}  // namespace okksim::sim::check
