// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace okksim::sim::fidelity {

/// Returns a sentence for each table of the estimator that the folder lacks, or whose contents are
/// not the table's. The limits of part (a) are about the known tables only.
std::vector<std::string> unknown_tables(const std::filesystem::path& folder);

}  // namespace okksim::sim::fidelity
