// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "sim/execution/case_result.h"
#include "sim/execution/conformance_options.h"

namespace okksim::sim::execution {

/// Runs every test folder below `tree` and judges it. Outputs must satisfy the folder's rules. An
/// invalid graph must be refused because of its mistake, not because of an unknown version, an
/// unknown operator or a missing file. Results are in path order for all values of `jobs`.
std::vector<CaseResult> run_conformance(
    const ConformanceOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress);

/// Runs one graph of a folder. Never throws because of the folder's contents.
CaseResult run_case(const std::filesystem::path& folder, const ConformanceOptions& options,
                    std::size_t graph = 0);

}  // namespace okksim::sim::execution
