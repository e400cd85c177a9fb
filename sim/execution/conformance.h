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
};

struct ConformanceOptions {
    std::filesystem::path tree;
    /// The graphs are those of this tree, same relative paths: <test>/test.mlir. Tests without one
    /// are skipped.
    std::optional<std::filesystem::path> graphs;
    std::optional<std::filesystem::path> out;  ///< also write outputs here, same relative paths
    std::string filter;  ///< regular expression on the relative path; empty: all
    int jobs = 1;
    /// Also run each graph in every other form that it has: written as text and as a file of TOSA
    /// 1.0 and read again, and the test's own file where `graphs` gives another. The bytes and the
    /// simulated time must be the same, and what is read the same graph: its text is.
    bool twins = false;
    /// Look for every mistake of kernels: GraphExecutor::watch_kernels(), ChipOptions::exact_bytes.
    bool full_sanitizer = false;
    Machine machine;
};

/// Runs every test folder below `tree` and judges it: outputs by the folder's rules, and graphs
/// that must be refused by their being refused for what is wrong with them: not for a version or an
/// operator that is not read, nor for a file that is missing. Results are in path order whatever
/// `jobs` is.
std::vector<CaseResult> run_conformance(
    const ConformanceOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress);

/// Runs one folder, or one of its graphs where it has several. Never throws on account of the
/// folder's contents.
CaseResult run_case(const std::filesystem::path& folder, const ConformanceOptions& options,
                    std::size_t graph = 0);

}  // namespace okksim::sim::execution
