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

/// The first difference between two command traces.
struct TraceDifference {
    std::uint64_t entry = 0;           ///< counted from 0, in program order
    std::string what;                  ///< "command", "data", "end", ...
    std::vector<std::string> context;  ///< up to three common entries before it
    std::string a;                     ///< disassembly, or a note that the trace ends
    std::string b;
};

struct TraceComparison {
    std::optional<TraceDifference> command;  ///< first differing entry, without regard to times
    std::optional<TraceDifference> data;     ///< first equal command that wrote other bytes
    std::uint64_t commands_compared = 0;
    bool data_compared = false;  ///< both traces have data CRCs
    /// The recorded machine of each run, and the account on it.
    Machine machine_a;
    Machine machine_b;
    Account account_a;
    Account account_b;
    /// Name of the first launch; empty without one.
    std::string launch_a;
    std::string launch_b;

    /// True if the commands and their data are equal, without regard to times.
    bool equal() const { return !command && !data; }
    /// True if the times of both accounts are equal, in total and by engine and cause.
    bool same_times() const;
};

/// Compares two command traces. Throws ConfigError if one is damaged.
TraceComparison compare_traces(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace okksim::sim::trace
