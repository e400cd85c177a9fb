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

#include "isa/base/output_file.h"
#include "models/chip/machine_params.h"
#include "models/sequencer/command_observer.h"
#include "sim/device/chip_device.h"
#include "sim/machine/machine.h"
#include "sim/trace/accountant.h"
#include "sim/trace/command_trace_writer.h"

namespace okksim::sim::trace {

/// Writes a machine's activity over time as trace events (JSON) for ui.perfetto.dev and
/// chrome://tracing. Host, operators, kernels, MCU, engines, their queues and DRAM channels have
/// tracks. Queue depths, bandwidth and bank conflicts have counters. Every command carries its
/// disassembly, its waits and the causes of its time. Events are written while the machine runs;
/// the slices of a track are in order of time. Add it to the machine's observers and the
/// accountant's listeners, run, then call finish().
class Timeline : public models::CommandObserver, public AccountListener {
 public:
    /// Throws ConfigError if the file cannot be written. Beyond `most_bytes` no event is added, and
    /// finish() reports it.
    Timeline(const std::filesystem::path& path, const Machine& machine,
             std::uint64_t most_bytes = CommandTraceWriter::kMostBytes);
    ~Timeline() override;

    /// Names the next unnamed launch.
    void name_launch(std::string name) { names_.push_back(std::move(name)); }
    /// Sets the function that returns the source line of a command.
    void set_lines(std::function<std::string(const isa::Command&)> line_of) {
        line_of_ = std::move(line_of);
    }
    /// Adds a slice above the kernels, e.g. a graph operator. Slices may nest but not overlap; add
    /// an outer slice before its inner ones.
    void add_operator(std::string_view name, models::Picoseconds begin, models::Picoseconds end);
    /// Sets a counter's value from this time on.
    void add_counter(std::string_view name, models::Picoseconds time, double value) {
        counter(name, time, value);
    }
    /// Adds a copy of the host. Copies are in order of time and do not overlap launches.
    void add_host_copy(const HostCopy& copy);
    /// Completes the file. Throws ConfigError if the disk is full or the run exceeds the limit.
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
    /// An engine's tracks, and the times at which commands joined and left its queue that are not
    /// yet written.
    struct Queue {
        std::string name;  ///< of the engine
        int waiting = 0;   ///< track of the next command
        int running = 0;
        std::deque<models::Picoseconds> joined, left;
        int depth = 0;
        models::Picoseconds head_since;  ///< start of the last command; the next one waits since
    };

    void add_event(std::string_view event);
    void name_track(int track, std::string_view name);
    void slice(int track, std::string_view name, models::Picoseconds begin, models::Picoseconds end,
               const std::string& arguments);
    void counter(std::string_view name, models::Picoseconds time, double value);
    /// Sets a counter's value while a command runs, and zero afterwards.
    void pulse(std::string_view name, const models::CommandTimes& times, double value);
    void add_to_queue(std::size_t engine, const isa::Command& command,
                      const models::CommandTimes& times);
    /// Writes the changes of a queue's depth up to `time`; later changes are not all known.
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
    std::string computed_;         ///< computations of the processor since its last such slice
    EngineList engines_;
    std::vector<Queue> queues_;   ///< by engine
    int first_channel_ = 0;       ///< track
    std::uint32_t channels_ = 0;  ///< number of channels with a track
    bool first_ = true;
    bool finished_ = false;
    bool has_launched_ = false;
};

}  // namespace okksim::sim::trace
