// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace okksim::sim::execution {

enum class CaseStatus : std::uint8_t {
    kPassed,
    kFailed,
    kSkipped,
    kRefused,  ///< of another project's test: the reader does not support the graph
};

/// Verdict on one test folder.
struct CaseResult {
    std::string path;          ///< relative to the tree; of further graphs with their form
    std::string op;            ///< operator under test
    bool is_negative = false;  ///< the graph must be refused
    CaseStatus status = CaseStatus::kFailed;
    std::string detail;         ///< why it failed or was skipped; for refused graphs the rule named
    double microseconds = 0;    ///< simulated
    std::string warnings;       ///< unwritten reads and hazards of kernels, a line each
    bool is_unwritten = false;  ///< its outputs could not be written: `detail` says why
    std::string reason;         ///< of kRefused: the part that is not supported
};

}  // namespace okksim::sim::execution
