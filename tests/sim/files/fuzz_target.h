// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/graph/graph_damage.h"

namespace okksim::tests {

/// A reader of files that is tested with damaged files.
struct FuzzTarget {
    std::string_view name;
    /// Valid files, made by the project's own programs.
    std::function<std::vector<FileBytes>()> corpus;
    /// Reads a file and uses it like okksim does. Allowed outcomes are a result, ConfigError or
    /// ProgramFault; anything else is a finding.
    std::function<void(const FileBytes&)> read;
    /// Pieces to insert at wrong positions of texts; empty for binary files.
    std::span<const std::string_view> pieces = {};
};

/// All targets by name.
std::vector<FuzzTarget> fuzz_targets();

/// The calls of custom operators that reach a kernel's structs (firmware/okk_custom.h).
FuzzTarget custom_structs_target();

/// Plans of `okksim plan --json` and values of `okksim run --keep-values`; sweeps' specifications.
FuzzTarget plan_target();
FuzzTarget specification_target();

}  // namespace okksim::tests
