// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/zoo/zoo.h"

namespace okksim::sim::bench {

/// A network of the zoo, as a model file.
struct NetworkFile {
    std::string name;
    zoo::ZooOptions options;
    std::filesystem::path path;
};

/// Builds the network and writes it.
void write_network(const NetworkFile& network);

/// One execution of a network on the reference machine: data, times and diagnostics, from the
/// launch on; constants are prepared in it. Reading and planning are not counted in the time, but
/// in the memory.
struct NetworkRun {
    double seconds = 0;           ///< processor time of the one thread
    double peak_megabytes = 0;    ///< most memory resident since the network was opened
    double tensor_megabytes = 0;  ///< what the plan gives to tensors in global memory
    double simulated_ms = 0;
    double commands = 0;
};

/// Runs a network with random inputs. Best in a child process: the peak is the process's.
NetworkRun run_network(const NetworkFile& network);

/// Processor time of planning it.
double plan_network(const NetworkFile& network);

/// How fast the same commands go with and without time. The time on top of functional execution is
/// what detailed timing costs.
struct TimingCost {
    double functional_seconds = 0;  ///< effects alone, in program order
    double timed_seconds = 0;       ///< the chip: effects, times and diagnostics
    double overhead_percent = 0;
    double sanitizer_percent = 0;       ///< of looking for mistakes, on top of the chip without it
    double full_sanitizer_percent = 0;  ///< of --sanitize=full, likewise
    double timing_only_seconds = 0;     ///< firmware and times, without effects
    double simulated_ms = 0;
    double replayed_ms = 0;     ///< of the recorded commands: the same
    double timing_only_ms = 0;  ///< without effects: the same
    double commands = 0;
};

/// Records the commands of one run, then takes them through the functional model and through the
/// chip in turns (turns.h).
TimingCost measure_timing_cost(const NetworkFile& network, int rounds,
                               const std::function<bool(const TimingCost&)>& meets_bars);

}  // namespace okksim::sim::bench
