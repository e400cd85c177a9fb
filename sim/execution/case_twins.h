// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/execution/case_run.h"

namespace okksim::sim::execution {

/// A graph that has run, and its results.
struct CaseRun {
    const check::TestCase& test;
    const graph::Graph& graph;
    const CaseValues& values;
    const ConformanceOptions& options;
};

/// Runs the graph in its other forms (ConformanceOptions::twins). `own_file` is the test's own file
/// if the graph is from another tree. Returns the first difference in words, or an empty string.
std::string judge_twins(const CaseRun& run, const std::optional<std::filesystem::path>& own_file);

}  // namespace okksim::sim::execution
