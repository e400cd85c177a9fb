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

/// Files that a subcommand writes about a run; an empty path writes nothing.
struct ObserverOptions {
    std::string record;       ///< command trace
    bool record_crc = false;  ///< record the CRC of the bytes that each command writes
    std::string timeline;     ///< trace events for ui.perfetto.dev
    std::string vcd{};        ///< value change dump, written by SystemC
    std::string commands{};   ///< account of every command: CSV, or JSON by its name
    /// Account of every source line: a file in JSON or CSV, by its name.
    std::string lines{};
    bool record_data = false;  ///< the host's data and CRCs, for okksim why
    bool sees_stores = false;  ///< the device uses store_observer()
    std::uint64_t record_limit = CommandTraceWriter::kMostBytes;

    /// True if any file is requested.
    bool any() const {
        return !(record.empty() && timeline.empty() && vcd.empty() && commands.empty() &&
                 lines.empty());
    }
};

/// Prefix of a buffer that names a kernel library with source lines: "library:/path/k.so". The
/// buffer's size is the library's file_mark().
inline constexpr std::string_view kLibraryName = "library:";
/// Returns a hash that differs between builds of a file; nothing if the file cannot be read.
std::optional<std::uint64_t> file_mark(const std::filesystem::path& file);

/// A running machine to observe.
struct ObservedMachine {
    const Machine& machine;
    std::function<void(models::CommandObserver&)> add_observer;
    Simulation* simulation = nullptr;  ///< nullptr: times only, without modules and data
};
/// Observes a simulated chip.
ObservedMachine observed(Simulation& simulation);

/// Accounts for a machine's time, and records commands and writes a timeline on request. Create it
/// before the first launch; it must outlive the simulation's run.
class RunObservers {
 public:
    /// Opens the files; throws ConfigError if one cannot be written. `sites` gives the files the
    /// source of each command; with nullptr, files contain no lines. Throws ConfigError for files
    /// that need modules or data if the machine has none.
    RunObservers(const ObservedMachine& observed, const ObserverOptions& options,
                 CallSites* sites = nullptr);

    /// Names the next launch. Call it once per launch, in order.
    void name_launch(const std::string& name);
    /// Completes the files. No launch may follow.
    void finish();
    /// Returns the steps of finish(), one per file.
    std::vector<std::function<void()>> endings();

    /// See Accountant::keep_sum_only().
    void keep_sum_only() { accountant_.keep_sum_only(); }
    const Accountant& accountant() const { return accountant_; }
    /// Sets the function that names a command's owner in the account of every command.
    void set_owner(std::function<std::string()> owner) {
        if (commands_) commands_->set_owner(std::move(owner));
    }
    /// Sets the function that names a command's issuer in recordings, in place of its line.
    void set_lines(std::function<std::string(const isa::Command&)> lines) {
        if (recorder_) recorder_->set_lines(std::move(lines));
    }
    /// Returns the observer for a device that reports stores, with ObserverOptions::sees_stores. It
    /// is empty unless data are recorded.
    StoreObserver store_observer();
    /// Registers a completed copy of the host.
    void host_copied(const HostCopy& copy);
    /// Registers reallocated memory as uninitialised.
    void host_forgot(std::uint64_t address, std::uint64_t bytes);
    /// Names a buffer of the host in recordings with data, e.g. "y.npy:f32[2,3]".
    void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes);
    /// Records which build of a kernel library or program the source lines refer to, in recordings
    /// with data.
    void name_library(const std::filesystem::path& file);
    /// Returns nullptr if no timeline is requested.
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
