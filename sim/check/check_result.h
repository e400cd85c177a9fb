// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::check {

/// One element that breaks its rule.
struct Mismatch {
    graph::Shape index;   ///< coordinates of the element
    std::string got;      ///< implementation's value
    std::string wanted;   ///< reference value
    std::string allowed;  ///< the violated range or condition
};

/// Verdict on one tensor.
struct CheckResult {
    bool passed = false;
    std::string rule;  ///< rule_text() of the rule
    std::uint64_t elements = 0;
    std::uint64_t failures = 0;     ///< number of elements that break the rule
    std::optional<Mismatch> first;  ///< the first of them in row-major order
    std::optional<Mismatch> worst;  ///< the one with the largest error relative to the allowed one
    /// Largest error of all finite elements, divided by the allowed error; 0 for exact rules.
    double largest_error = 0.0;
    std::string problem;  ///< failures of the whole tensor: type, shape, sums

    /// Returns one line with verdict, element, error and rule.
    std::string text() const;
};

}  // namespace okksim::sim::check
