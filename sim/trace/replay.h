// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/command_counts.h"
#include "sim/machine/machine.h"
#include "sim/trace/accountant.h"

namespace okksim::sim::trace {

/// One launch of a replay.
struct ReplayedLaunch {
    std::string name;
    double simulated_us = 0;            ///< including launch and sync
    std::optional<double> recorded_us;  ///< on the recorded machine, likewise
};

struct ReplayReport {
    Machine machine;
    std::vector<ReplayedLaunch> launches;
    std::vector<Account> accounts;  ///< one per launch
    isa::CommandCounts commands;
    bool same_machine = false;           ///< the machine is the recorded one
    std::optional<std::string> stopped;  ///< with `force`: the error that ended the replay early
    double host_seconds = 0;

    Account total() const;
};

struct ReplayOptions {
    /// If empty: the recorded machine, or the default machine for call traces.
    std::optional<std::string> machine;
    std::vector<std::string> settings;
    bool force = false;  ///< replay damaged traces up to the first error
    /// Further observers, e.g. a timeline. Commands retire in program order.
    std::vector<models::CommandObserver*> observers;
    std::vector<AccountListener*> listeners;  ///< of the accountant
    /// Called with the name of each launch before it begins.
    std::function<void(const std::string& name)> before_launch;
};

/// Returns the machine that replay() would use.
Machine replay_machine(const std::filesystem::path& path, const ReplayOptions& options);

/// Throws ConfigError with `what` unless a layout made for `made_for` can run unchanged on
/// `machine`. Commands hold addresses, and firmware may have acted on any machine property that it
/// can query.
void check_same_layout(const Machine& made_for, const Machine& machine, const std::string& what);

/// Times the commands of a command trace, or the calls of a call trace, on a machine without data.
/// On the recorded machine, a command trace gives exactly the recorded times. Throws ConfigError if
/// the trace is damaged (unless forced) or made for another machine shape.
ReplayReport replay(const std::filesystem::path& path, const ReplayOptions& options);
/// Replays on a machine that is already loaded.
ReplayReport replay_on(const std::filesystem::path& path, const Machine& machine);

}  // namespace okksim::sim::trace
