// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
    kLeftOut,  ///< not selected by the --filter of one folder; passes
    kWithin,   ///< within its limits, without a baseline; passes
    kLimit,    ///< beyond a limit
    kFault,    ///< the guest program has a fault
    kError,    ///< a file or setting is wrong
};

std::string_view verdict_name(Verdict verdict);
bool passes(Verdict verdict);

/// A measured value of a gate's workload.
struct CaseMetric {
    std::string name;  ///< "time_us", "commands", "bytes", "energy_uj"
    double value = 0;
    std::optional<double> base;
    std::optional<double> limit;

    bool exceeds() const { return limit && value > *limit; }
};

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
    std::vector<CaseMetric> metrics{};    ///< of `okksim gate`
    std::vector<std::string> warnings{};  ///< of the sanitizer; reported also if the case passes

    double change() const { return base_us > 0 ? new_us / base_us - 1 : 0; }
};

}  // namespace okksim::sim::gate
