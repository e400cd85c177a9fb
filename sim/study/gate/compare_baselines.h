// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/gate/case_comparison.h"

namespace okksim::sim::gate {

/// Compares two folders of `okksim baseline`. `threshold` is a share: 0.02 for 2 %. The result also
/// names an operator that is slower by more than the threshold, both of the operator's time and of
/// the total time. Throws ConfigError if a folder is missing or has no baseline.
std::vector<CaseComparison> compare_baselines(const std::filesystem::path& base,
                                              const std::filesystem::path& next, double threshold);

std::string comparison_text(const std::vector<CaseComparison>& cases, double threshold);
std::string comparison_markdown(const std::vector<CaseComparison>& cases, double threshold);
std::string comparison_json(const std::vector<CaseComparison>& cases, double threshold);
/// `suite` is the name of the test suite.
std::string comparison_junit(const std::vector<CaseComparison>& cases,
                             const std::string& suite = "okksim compare");
/// Returns "2 passed, 1 failed (threshold 2.0 %)".
std::string comparison_summary(const std::vector<CaseComparison>& cases, double threshold);
/// Returns the machines of both sides and the version of okksim.
std::string comparison_origin(const std::vector<CaseComparison>& cases);

}  // namespace okksim::sim::gate
