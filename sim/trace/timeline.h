// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/output_file.h"
#include "models/chip/machine_params.h"
#include "models/sequencer/command_observer.h"
#include "sim/device/chip_device.h"
#include "sim/machine/machine.h"
#include "sim/trace/accountant.h"
#include "sim/trace/command_trace_writer.h"

namespace okksim::sim::trace {

/// Writes what a machine does over time as trace events (JSON) that ui.perfetto.dev and
/// chrome://tracing show: tracks for host, operators, kernels, MCU, engines, their queues and
/// DRAM channels, counters for the queues' depths, bandwidth and bank conflicts. Every command
/// carries its disassembly, what it waited for and what its time went into. Events are written as
/// they come; the slices of a track follow one another in time. Add it to the machine's observers
/// and to the accountant's listeners, run, finish().
class Timeline : public models::CommandObserver, public AccountListener {
 public:
    /// ConfigError when the file cannot be written. Beyond `most_bytes` nothing is added, and
    /// finish() says so.
    Timeline(const std::filesystem::path& path, const Machine& machine,
             std::uint64_t most_bytes = CommandTraceWriter::kMostBytes);
    ~Timeline() override;

    /// Names the launches to come, in their order.
    void name_launch(std::string name) { names_.push_back(std::move(name)); }
    /// Says which line has issued a command.
    void set_lines(std::function<std::string(const isa::Command&)> line_of) {
        line_of_ = std::move(line_of);
    }
    /// A slice above the kernels, e.g. a graph operator. Slices may nest, not overlap; an outer one
    /// is added before those within it.
    void add_operator(std::string_view name, models::Picoseconds begin, models::Picoseconds end);
    /// A value from this time on.
    void add_counter(std::string_view name, models::Picoseconds time, double value) {
        counter(name, time, value);
    }
    /// Copies follow one another and do not overlap launches.
    void add_host_copy(const HostCopy& copy);
    /// Writes what is left. ConfigError when the disk is full, or when the run does not fit.
    void finish();

    void launch_started(models::Picoseconds time) override;
    void launch_finished(models::Picoseconds time) override;
    void computed(const isa::Computation& computation) override;
    void accessed(const isa::ProcessorAccess& access) override { access_ = access; }
    void processor(models::ProcessorState state, models::Picoseconds begin,
                   models::Picoseconds end) override;
    void accounted(const isa::Command& command, const models::CommandTimes& times,
                   const CommandAccount& account) override;
    void memory_channel(const models::ChannelUse& use) override;

 private:
    /// An engine's tracks, and when commands joined and left its queue, as far as that is not
    /// written yet.
    struct Queue {
        std::string name;  ///< of the engine
        int waiting = 0;   ///< track of what is next
        int running = 0;
        std::deque<models::Picoseconds> joined, left;
        int depth = 0;
        models::Picoseconds head_since;  ///< the last command started: another is the next to run
    };

    void add_event(std::string_view event);
    void name_track(int track, std::string_view name);
    void slice(int track, std::string_view name, models::Picoseconds begin, models::Picoseconds end,
               const std::string& arguments);
    void counter(std::string_view name, models::Picoseconds time, double value);
    /// A value for as long as a command runs, nothing afterwards.
    void pulse(std::string_view name, const models::CommandTimes& times, double value);
    void add_to_queue(std::size_t engine, const isa::Command& command,
                      const models::CommandTimes& times);
    /// Writes the changes of a queue's depth up to `time`: all later ones are yet to come.
    void write_queue_depth(std::size_t engine, models::Picoseconds time);
    void write_sync();

    OutputFile file_;
    std::string path_;
    std::uint64_t most_bytes_;
    std::uint64_t bytes_ = 0;  ///< of events
    bool is_cut_ = false;
    std::string provenance_;  ///< JSON
    models::MachineParams params_;
    isa::MachineShape shape_;
    std::function<std::string(const isa::Command&)> line_of_;
    std::deque<std::string> names_;
    std::string launch_name_;
    models::Picoseconds launch_start_;
    std::optional<models::Picoseconds>
        launch_end_;               ///< of the last launch, until its sync is written
    isa::ProcessorAccess access_;  ///< the processor's last one
    std::string computed_;         ///< what the processor has computed since its last such slice
    EngineList engines_;
    std::vector<Queue> queues_;   ///< by engine
    int first_channel_ = 0;       ///< track
    std::uint32_t channels_ = 0;  ///< that have a track
    bool first_ = true;
    bool finished_ = false;
    bool has_launched_ = false;
};

}  // namespace okksim::sim::trace
