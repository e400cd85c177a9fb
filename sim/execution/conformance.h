// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::execution {

enum class CaseStatus : std::uint8_t { kPassed, kFailed, kSkipped };

/// Verdict on one graph of a test folder.
struct CaseResult {
    std::string path;          ///< relative to the tree; with the form if there are several graphs
    std::string op;            ///< operator under test
    bool is_negative = false;  ///< the graph must be refused
    CaseStatus status = CaseStatus::kFailed;
    std::string detail;         ///< reason for a failure or skip; the rule for refused graphs
    double microseconds = 0;    ///< simulated
    std::string warnings;       ///< uninitialised reads and hazards of kernels, one per line
    bool is_unwritten = false;  ///< its outputs could not be saved, as `detail` explains
};

struct ConformanceOptions {
    std::filesystem::path tree;
    /// Takes the graphs from <test>/test.mlir in this tree, at the same relative paths. Skips tests
    /// without one.
    std::optional<std::filesystem::path> graphs;
    std::optional<std::filesystem::path> out;  ///< also saves outputs here, at the same paths
    std::string filter;  ///< regular expression on the relative path; empty: all
    int jobs = 1;
    /// Also runs each graph in all of its other forms. They are a text and a file of TOSA 1.0 that
    /// are written and read again, and the test's own file if `graphs` gives another. Bytes and
    /// simulated time must be the same, and so must the text of the graph that was read.
    bool twins = false;
    /// Detects all mistakes of kernels: GraphExecutor::watch_kernels(), ChipOptions::exact_bytes.
    bool full_sanitizer = false;
    Machine machine;
};

/// Runs every test folder below `tree` and judges its outputs by the folder's rules. A graph that
/// must be refused passes if it is refused for its content. It does not pass if a version or
/// operator is not supported, or if a file is missing. Results are in path order for any `jobs`.
std::vector<CaseResult> run_conformance(
    const ConformanceOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress);

/// Runs one graph of a folder. Never throws because of the folder's contents.
CaseResult run_case(const std::filesystem::path& folder, const ConformanceOptions& options,
                    std::size_t graph = 0);

}  // namespace okksim::sim::execution
