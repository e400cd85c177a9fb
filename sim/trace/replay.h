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
    double simulated_us = 0;            ///< launch and sync included
    std::optional<double> recorded_us;  ///< the same on the machine of the recording
};

struct ReplayReport {
    Machine machine;
    std::vector<ReplayedLaunch> launches;
    std::vector<Account> accounts;  ///< one per launch
    isa::CommandCounts commands;
    bool same_machine = false;           ///< the recording's
    std::optional<std::string> stopped;  ///< with `force`: what ended the replay early
    double host_seconds = 0;

    Account total() const;
};

struct ReplayOptions {
    /// Empty: the machine of the recording; for call traces the default one.
    std::optional<std::string> machine;
    std::vector<std::string> settings;
    bool force = false;  ///< replay damaged traces as far as they are valid
    /// Further observers, e.g. a timeline. Commands retire in program order.
    std::vector<models::CommandObserver*> observers;
    std::vector<AccountListener*> listeners;  ///< of the accountant
    /// Told the name of each launch before it begins.
    std::function<void(const std::string& name)> before_launch;
};

/// The machine that replay() would use.
Machine replay_machine(const std::filesystem::path& path, const ReplayOptions& options);

/// ConfigError, with `what`, unless what was laid out for `made_for` can run on `machine` as it is:
/// commands hold addresses, and whatever firmware can ask for may have decided what it did.
void check_same_layout(const Machine& made_for, const Machine& machine, const std::string& what);

/// Takes the commands of a command trace, or the calls of a call trace, through a machine's times,
/// without data. A command trace gives exactly the times of the recorded run on the same machine.
/// ConfigError when the trace is damaged (unless forced) or laid out for another machine shape.
ReplayReport replay(const std::filesystem::path& path, const ReplayOptions& options);
/// The same on a machine that is there already.
ReplayReport replay_on(const std::filesystem::path& path, const Machine& machine);

}  // namespace okksim::sim::trace
