// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace okksim::sim::gate {

enum class Verdict : std::uint8_t {
    kSame,     ///< same commands and data, time within the threshold
    kFaster,   ///< by more than the threshold; passes
    kSlower,   ///< by more than the threshold
    kMoved,    ///< of a sweep: other machines are on its front
    kChanged,  ///< other results, or the same time of the same commands put down to other causes
    kMissing,  ///< in BASE but not in NEW
    kAdded,    ///< in NEW but not in BASE; passes
    kDamaged,  ///< a file cannot be read
};
std::string_view verdict_name(Verdict verdict);
bool passes(Verdict verdict);

/// A kernel or network in both folders.
struct CaseComparison {
    std::string name;
    Verdict verdict = Verdict::kSame;
    double base_us = 0;
    double new_us = 0;
    std::vector<std::string>
        reasons;                 ///< in words: causes of the difference, first differing place
    std::string base_machine{};  ///< name and hash; empty when there is no record
    std::string new_machine{};

    double change() const { return base_us > 0 ? new_us / base_us - 1 : 0; }
};

/// Compares two folders of `okksim baseline`. `threshold` is a share: 0.02 for 2 %. An operator
/// that is slower by more than the threshold, and by more than the threshold of the whole, is named
/// too. ConfigError when a folder is missing or holds no baseline.
std::vector<CaseComparison> compare_baselines(const std::filesystem::path& base,
                                              const std::filesystem::path& next, double threshold);

std::string comparison_text(const std::vector<CaseComparison>& cases, double threshold);
std::string comparison_markdown(const std::vector<CaseComparison>& cases, double threshold);
std::string comparison_json(const std::vector<CaseComparison>& cases, double threshold);
std::string comparison_junit(const std::vector<CaseComparison>& cases);

}  // namespace okksim::sim::gate
