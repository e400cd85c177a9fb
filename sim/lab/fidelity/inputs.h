// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace okksim::sim::fidelity {

/// The recorded data that a report uses.
struct Inputs {
    std::size_t files = 0;
    std::uint64_t hash = 0;  ///< FNV-1a of the files' names and contents, in the order of the names
};

/// Reads all regular files of the folders and the single files; missing files are left out.
Inputs read_inputs(const std::vector<std::filesystem::path>& places);

}  // namespace okksim::sim::fidelity
