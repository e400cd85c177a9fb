// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace okksim::sim::fidelity {

/// Returns a sentence for each file of the estimator that the folder lacks, or whose contents are
/// not the published ones. The limits of parts (a) and (g) are about the known files only.
std::vector<std::string> unknown_tables(const std::filesystem::path& folder);

}  // namespace okksim::sim::fidelity
