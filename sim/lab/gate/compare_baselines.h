// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace okksim::sim::gate {

enum class Verdict : std::uint8_t {
    kSame,     ///< same commands and data, time within the threshold
    kFaster,   ///< faster by more than the threshold; passes
    kSlower,   ///< by more than the threshold
    kMoved,    ///< other machines are on a sweep's Pareto front
    kChanged,  ///< other results, or other causes for the same time of the same commands
    kMissing,  ///< in BASE but not in NEW
    kAdded,    ///< in NEW but not in BASE; passes
    kDamaged,  ///< a file cannot be read
};
std::string_view verdict_name(Verdict verdict);
bool passes(Verdict verdict);

/// Comparison of a kernel, network or sweep.
struct CaseComparison {
    std::string name;
    Verdict verdict = Verdict::kSame;
    double base_us = 0;
    double new_us = 0;
    std::vector<std::string>
        reasons;  ///< text: causes of the difference and the first differing command or data
    std::string base_machine{};  ///< name and hash; empty without a record
    std::string new_machine{};

    double change() const { return base_us > 0 ? new_us / base_us - 1 : 0; }
};

/// Compares two folders of `okksim baseline`. `threshold` is a share: 0.02 for 2 %. The result also
/// names an operator that is slower by more than the threshold, both of the operator's time and of
/// the total time. Throws ConfigError if a folder is missing or has no baseline.
std::vector<CaseComparison> compare_baselines(const std::filesystem::path& base,
                                              const std::filesystem::path& next, double threshold);

std::string comparison_text(const std::vector<CaseComparison>& cases, double threshold);
std::string comparison_markdown(const std::vector<CaseComparison>& cases, double threshold);
std::string comparison_json(const std::vector<CaseComparison>& cases, double threshold);
std::string comparison_junit(const std::vector<CaseComparison>& cases);

}  // namespace okksim::sim::gate
