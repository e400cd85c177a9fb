// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "sim/execution/case_result.h"
#include "sim/execution/conformance_options.h"

namespace okksim::sim::execution {

/// Runs every test folder below `tree` and judges it: outputs by the folder's rules, and graphs
/// that must be refused by their being refused for what is wrong with them: not for a version or an
/// operator that is not read, nor for a file that is missing. Results are in path order whatever
/// `jobs` is.
std::vector<CaseResult> run_conformance(
    const ConformanceOptions& options,
    const std::function<void(std::size_t, std::size_t)>& progress);

/// Runs one graph of a folder. Never throws because of the folder's contents.
CaseResult run_case(const std::filesystem::path& folder, const ConformanceOptions& options,
                    std::size_t graph = 0);

}  // namespace okksim::sim::execution
