// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/platform/simulation.h"
#include "sim/trace/accountant.h"
#include "sim/trace/command_log.h"
#include "sim/trace/command_recorder.h"
#include "sim/trace/timeline.h"

namespace okksim::sim::trace {

/// What a command of the program is asked to write down about a run; empty paths: nothing.
struct ObserverOptions {
    std::string record;       ///< command trace
    bool record_crc = false;  ///< with the CRC of the bytes that each command writes
    std::string timeline;     ///< trace events for ui.perfetto.dev
    std::string vcd{};        ///< value change dump, written by SystemC
    std::string commands{};   ///< what every command's time went into: CSV, or JSON by its name

    /// Whether anything is to be written at all.
    bool any() const {
        return !(record.empty() && timeline.empty() && vcd.empty() && commands.empty());
    }
};

/// Accounts for a simulation's time and, as asked, records its commands and writes a timeline.
/// Make one before the first launch; it must live until the simulation has run.
class RunObservers {
 public:
    /// ConfigError when a file cannot be written.
    RunObservers(Simulation& simulation, const ObserverOptions& options);

    /// Names the next launch; call once per launch, in order.
    void name_launch(const std::string& name);
    /// Completes the files; nothing may be launched afterwards.
    void finish();

    const Accountant& accountant() const { return accountant_; }
    /// Says what a command belongs to, for the account of every command.
    void set_owner(std::function<std::string()> owner) {
        if (commands_) commands_->set_owner(std::move(owner));
    }
    /// nullptr when none was asked for.
    Timeline* timeline() { return timeline_ ? &*timeline_ : nullptr; }

 private:
    Simulation& simulation_;
    Accountant accountant_;
    std::optional<CommandRecorder> recorder_;
    std::optional<Timeline> timeline_;
    std::optional<CommandLog> commands_;
};

}  // namespace okksim::sim::trace
