// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// A place where two command traces part.
struct TraceDifference {
    std::uint64_t entry = 0;           ///< counted from 0, in program order
    std::string what;                  ///< "command", "data", "end", ...
    std::vector<std::string> context;  ///< up to three entries that both have before it
    std::string a;                     ///< disassembly, or what ends there
    std::string b;
};

struct TraceComparison {
    std::optional<TraceDifference> command;  ///< first differing entry; times do not count
    std::optional<TraceDifference> data;     ///< first equal command that wrote other bytes
    std::uint64_t commands_compared = 0;
    bool data_compared = false;  ///< both traces have data CRCs
    /// What each run was recorded on, and what its time went into there.
    Machine machine_a;
    Machine machine_b;
    Account account_a;
    Account account_b;

    bool equal() const { return !command && !data; }
};

/// Compares two command traces. ConfigError when one is damaged.
TraceComparison compare_traces(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace okksim::sim::trace
