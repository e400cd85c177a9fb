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

/// A reader of files that is fed damaged ones.
struct FuzzTarget {
    std::string_view name;
    /// Sound files, made by the project's own programs.
    std::function<std::vector<FileBytes>()> corpus;
    /// Reads one and does with it what okksim does: a result, ConfigError or ProgramFault; anything
    /// else is a finding.
    std::function<void(const FileBytes&)> read;
    /// What is put into texts in wrong places; nothing: the files are binary.
    std::span<const std::string_view> pieces = {};
};

/// All of them, by name.
std::vector<FuzzTarget> fuzz_targets();

/// The calls of custom operators that reach a kernel's structs (firmware/okk_custom.h).
FuzzTarget custom_structs_target();

/// Plans of `okksim plan --json` and values of `okksim run --keep-values`; sweeps' specifications.
FuzzTarget plan_target();
FuzzTarget specification_target();

}  // namespace okksim::tests
