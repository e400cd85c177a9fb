// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/machine/machine.h"

namespace okksim::sim::execution {

/// Options of a conformance run.
struct ConformanceOptions {
    std::filesystem::path tree;
    /// Tree with the graphs to run, at the same relative paths: <test>/test.mlir. Tests without
    /// such a graph are skipped.
    std::optional<std::filesystem::path> graphs;
    std::optional<std::filesystem::path> out;  ///< folder for outputs, same relative paths
    std::string filter;  ///< regular expression on the relative path; empty: all
    int jobs = 1;
    /// Each graph also runs in its other forms. The program writes it as text and as a TOSA 1.0
    /// file, and reads it again. It also runs the test's own file if `graphs` has another one.
    /// Bytes, simulated time and the graph's text must be equal.
    bool twins = false;
    /// Runs with all checks of kernels: GraphExecutor::watch_kernels(), ChipOptions::exact_bytes.
    bool full_sanitizer = false;
    Machine machine;
};

}  // namespace okksim::sim::execution
