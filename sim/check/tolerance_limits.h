// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/check/comparison_rules.h"
#include "sim/graph/graph_types.h"

/// Largest errors that the specification allows. A rule with a larger one judges nothing.
namespace okksim::sim::check {

/// The tensor that a rule is for.
struct JudgedTensor {
    std::string op;     ///< operator under test; empty if the test does not name it
    graph::DType type;  ///< of the output
    /// Largest extent of the test's inputs. Absent if the test has no input files.
    std::optional<std::int64_t> most_extent;
    /// Elements of all inputs. Absent if the test lacks the file of an operand.
    std::optional<std::int64_t> input_elements{};
};

/// A number of a rule that exceeds its limit.
struct ExcessiveTolerance {
    std::string key;  ///< as in desc.json, "ulp_info.ulp"
    std::string text;
};

/// Returns "mode" if the rule is none of the operator's, or the first number of the rule that is
/// negative, not finite or too large. The limits are those of TOSA 1.0.1 for the operator, or of
/// 0.90 where they are larger.
std::optional<ExcessiveTolerance> excessive_tolerance(const Rule& rule, const JudgedTensor& tensor);

}  // namespace okksim::sim::check
