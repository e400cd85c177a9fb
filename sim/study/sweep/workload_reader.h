// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/study/sweep/spec_table.h"
#include "sim/study/sweep/workload_spec.h"

namespace okksim::sim::sweep {

/// Returns a path that is relative to the folder of a specification. Empty without a text.
std::filesystem::path path_in(const std::filesystem::path& folder,
                              const std::optional<std::string>& text);

/// Reads the keys of a [[workload]]. The caller reads its further keys and calls finish().
/// ConfigError unless the workload is exactly one graph, network, kernel or trace.
WorkloadSpec read_workload(SpecTable& table, const std::filesystem::path& folder);

}  // namespace okksim::sim::sweep
