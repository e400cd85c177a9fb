// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/zoo/zoo.h"

namespace okksim::sim::bench {

/// A network of the zoo in a model file.
struct NetworkFile {
    std::string name;
    zoo::ZooOptions options;
    std::filesystem::path path;
};

/// Builds the network and writes its file.
void write_network(const NetworkFile& network);

/// One execution of a network on the reference machine with data, times and diagnostics. It begins
/// with the launch. Reading and planning count for the
/// memory only, not for the time.
struct NetworkRun {
    double seconds = 0;           ///< processor time of the thread
    double peak_megabytes = 0;    ///< peak of resident memory since opening the network
    double tensor_megabytes = 0;  ///< planned global memory for tensors
    double simulated_ms = 0;
    double commands = 0;
};

/// Runs a network with random inputs. Call it in a child process, because the peak is that of the
/// process.
NetworkRun run_network(const NetworkFile& network);

/// Returns the processor time of planning in seconds.
double plan_network(const NetworkFile& network);

/// Host time of the same commands with and without simulated time. The difference from functional
/// execution is the cost of detailed timing.
struct TimingCost {
    double functional_seconds = 0;  ///< effects only, in program order
    double timed_seconds = 0;       ///< the chip: effects, times and diagnostics
    double overhead_percent = 0;
    double sanitizer_percent = 0;       ///< additional time of the sanitizer
    double full_sanitizer_percent = 0;  ///< additional time of --sanitize=full
    double timing_only_seconds = 0;     ///< firmware and times, no effects
    double simulated_ms = 0;
    double replayed_ms = 0;     ///< of the recorded commands; equal to simulated_ms
    double timing_only_ms = 0;  ///< without effects; equal to simulated_ms
    double commands = 0;
};

/// Records the commands of one run. Then executes them on the functional model and on the chip in
/// turns (turns.h).
TimingCost measure_timing_cost(const NetworkFile& network, int rounds,
                               const std::function<bool(const TimingCost&)>& meets_bars);

}  // namespace okksim::sim::bench
