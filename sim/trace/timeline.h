// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "models/chip/command_observer.h"
#include "models/chip/machine_params.h"

namespace okksim::sim::trace {

/// Writes what a machine does over time as trace events (JSON) that ui.perfetto.dev and
/// chrome://tracing show: tracks for operators, kernels, MCU, GDMA and BDC, counters for the
/// queues' depths and the data mover's bandwidth. Every command carries its disassembly, what it
/// waited for and what its time went into. Add it to the machine's observers, run, finish().
class Timeline : public models::CommandObserver {
 public:
    /// ConfigError when the file cannot be written.
    Timeline(const std::filesystem::path& path, const models::MachineParams& machine);
    ~Timeline() override;

    /// Names the launches to come, in their order.
    void name_launch(std::string name) { names_.push_back(std::move(name)); }
    /// A slice above the kernels, e.g. a graph operator. Slices may nest, not overlap.
    void add_operator(std::string_view name, models::Picoseconds begin, models::Picoseconds end);
    /// Writes what is left. ConfigError when the disk is full.
    void finish();

    void launch_started(models::Picoseconds time) override;
    void launch_finished(models::Picoseconds time) override;
    void retired(const isa::Command& command, const models::CommandTimes& times) override;
    void processor(models::ProcessorState state, models::Picoseconds begin,
                   models::Picoseconds end) override;

 private:
    /// A command joins its engine's queue or leaves it.
    struct QueueChange {
        models::Picoseconds time;
        std::int8_t engine;
        std::int8_t change;
    };

    void begin_event();
    void slice(int track, std::string_view name, models::Picoseconds begin, models::Picoseconds end,
               const std::string& arguments);
    void counter(const char* name, models::Picoseconds time, double value);
    void write_queue_depths();

    std::filesystem::path path_;
    std::ofstream file_;
    models::MachineParams params_;
    isa::MachineShape shape_;
    std::deque<std::string> names_;
    models::Picoseconds launch_start_;
    std::vector<QueueChange> queue_changes_;  ///< commands retire out of order of their queueing
    bool first_ = true;
    bool finished_ = false;
};

}  // namespace okksim::sim::trace
