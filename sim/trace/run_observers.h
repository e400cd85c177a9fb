// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/platform/simulation.h"
#include "sim/trace/accountant.h"
#include "sim/trace/command_log.h"
#include "sim/trace/command_recorder.h"
#include "sim/trace/line_profile.h"
#include "sim/trace/timeline.h"

namespace okksim::sim::trace {

/// What a command of the program is asked to write down about a run; empty paths: nothing.
struct ObserverOptions {
    std::string record;       ///< command trace
    bool record_crc = false;  ///< with the CRC of the bytes that each command writes
    std::string timeline;     ///< trace events for ui.perfetto.dev
    std::string vcd{};        ///< value change dump, written by SystemC
    std::string commands{};   ///< what every command's time went into: CSV, or JSON by its name
    /// What the time of every line of source went into: a file, by its name JSON or CSV.
    std::string lines{};
    bool record_data = false;  ///< what the host writes, and the CRCs: see okksim why
    bool sees_stores = false;  ///< store_observer() will be used
    std::uint64_t record_limit = CommandTraceWriter::kMostBytes;

    /// Whether anything is to be written at all.
    bool any() const {
        return !(record.empty() && timeline.empty() && vcd.empty() && commands.empty() &&
                 lines.empty());
    }
};

/// What a recording calls a library whose lines it names: "library:/path/k.so"; the bytes of the
/// buffer of this name are its file_mark().
inline constexpr std::string_view kLibraryName = "library:";
/// Tells builds of a file apart; nothing when it cannot be read.
std::optional<std::uint64_t> file_mark(const std::filesystem::path& file);

/// A machine that runs and can be observed.
struct ObservedMachine {
    const Machine& machine;
    std::function<void(models::CommandObserver&)> add_observer;
    Simulation* simulation = nullptr;  ///< nullptr: times alone, no modules and no data
};
/// A simulated chip.
ObservedMachine observed(Simulation& simulation);

/// Accounts for a machine's time and, as asked, records its commands and writes a timeline.
/// Make one before the first launch; it must live until the simulation has run.
class RunObservers {
 public:
    /// Files are opened here: ConfigError when one cannot be written. `sites` knows what issues
    /// commands, which the files then say; nullptr: nobody does, and there are no lines. What needs
    /// modules or data is refused where there are none.
    RunObservers(const ObservedMachine& observed, const ObserverOptions& options,
                 CallSites* sites = nullptr);

    /// Names the next launch; call once per launch, in order.
    void name_launch(const std::string& name);
    /// Completes the files; nothing may be launched afterwards.
    void finish();
    /// What finish() does, file by file.
    std::vector<std::function<void()>> endings();

    const Accountant& accountant() const { return accountant_; }
    /// Says what a command belongs to, for the account of every command.
    void set_owner(std::function<std::string()> owner) {
        if (commands_) commands_->set_owner(std::move(owner));
    }
    /// Says what has issued a command, for recordings, in place of a line.
    void set_lines(std::function<std::string(const isa::Command&)> lines) {
        if (recorder_) recorder_->set_lines(std::move(lines));
    }
    /// For a device that can tell of stores, with ObserverOptions::sees_stores; empty where nobody
    /// wants to know.
    StoreObserver store_observer();
    /// A copy of the host's is complete.
    void host_copied(const HostCopy& copy);
    /// Memory that the host has handed out again is fresh.
    void host_forgot(std::uint64_t address, std::uint64_t bytes);
    /// Names a buffer of the host's, "y.npy:f32[2,3]", for recordings with data.
    void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes);
    /// Notes which build of a kernel library, or of a program with kernels, the lines of recordings
    /// with data are those of.
    void name_library(const std::filesystem::path& file);
    /// nullptr when none was asked for.
    Timeline* timeline() { return timeline_ ? &*timeline_ : nullptr; }
    const LineProfile* lines() const { return lines_ ? &*lines_ : nullptr; }

 private:
    void record(const ObservedMachine& observed, const ObserverOptions& options);

    const Machine& machine_;
    Simulation* simulation_;
    Accountant accountant_;
    bool records_data_;
    std::optional<CommandRecorder> recorder_;
    std::optional<Timeline> timeline_;
    std::optional<CommandLog> commands_;
    std::optional<LineProfile> lines_;
    std::string lines_file_;
};

}  // namespace okksim::sim::trace
