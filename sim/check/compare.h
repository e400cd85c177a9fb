// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/check/comparison_rules.h"
#include "sim/graph/host_tensor.h"
#include "sim/graph/npy.h"

namespace okksim::sim::check {

/// One element that breaks its rule.
struct Mismatch {
    graph::Shape index;   ///< coordinates of the element
    std::string got;      ///< implementation's value
    std::string wanted;   ///< reference value
    std::string allowed;  ///< the range or condition that was not met
};

/// Verdict on one tensor.
struct CheckResult {
    bool passed = false;
    std::string rule;  ///< rule_text of the rule applied
    std::uint64_t elements = 0;
    std::uint64_t failures = 0;     ///< elements outside the rule
    std::optional<Mismatch> first;  ///< the first of them, row-major
    std::optional<Mismatch> worst;  ///< the one with the largest error in units of what is allowed
    /// Largest error of all finite elements divided by what the rule allows there; 0 for exact
    /// rules.
    double largest_error = 0.0;
    std::string problem;  ///< failures that belong to no element: type, shape, whole-tensor sums

    /// One line: verdict, where, how much, by which rule.
    std::string text() const;
};

/// Judges `got` by `rule`. `reference` is what the rule compares with: double precision ("<f8") or
/// the output's own element type. `bounds` is needed by DotProductRule, RescaleInexactRule and the
/// AbsErrorRule; ConfigError when it is missing or when a reference does not fit.
CheckResult compare(const graph::HostTensor& got, const graph::NpyArray& reference,
                    const graph::NpyArray* bounds, const Rule& rule);

}  // namespace okksim::sim::check
