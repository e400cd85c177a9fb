// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/trace_figures.h"

#include <fmt/format.h>

#include "isa/temporary_folder.h"
#include "sim/bench/host_limits.h"
#include "sim/bench/median.h"
#include "sim/bench/small_commands.h"
#include "sim/trace/replay.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim::bench {
namespace {

/// Bars of the project for one thread.
constexpr double kBytesPerCommand = 100;  // a million commands in 100 MB
constexpr double kRecordingPercent = 10;
constexpr double kReplayedNumbers = 15;

constexpr int kReplays = 5;

}  // namespace

void measure_traces(const BenchOptions& options, const std::function<void(Figure)>& done) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "small.trace").string();
    constexpr int kCount = 20000;
    const int rounds = options.quick ? 21 : 61;
    const Machine machine = load_machine("bm1684");
    // Many short runs in turns: what else the host does hits both alike.
    Simulation plain(machine, {});
    Simulation recorded(machine, {});
    trace::CommandRecorder recorder(path, machine);
    recorded.chip().add_observer(recorder);
    std::vector<double> overheads;
    for (int round = 0; round < rounds; ++round) {
        const double before = run_small_commands(plain, kCount);
        overheads.push_back(100 * (run_small_commands(recorded, kCount) / before - 1));
    }
    recorder.finish();
    const int commands = rounds * kCount;
    done({"recording small commands, on top of their run", median(overheads), "%",
          kRecordingPercent, true, ""});
    done({"command trace of small commands",
          static_cast<double>(std::filesystem::file_size(path)) / commands, "bytes/command",
          kBytesPerCommand, true, ""});
    std::vector<double> times, ratios;
    for (int round = 0; round < kReplays; ++round) {
        const double before = measure_sort();
        const double start = thread_seconds();
        trace::replay(path, {});
        times.push_back((thread_seconds() - start) / commands * 1e6);
        ratios.push_back(times.back() / ((before + measure_sort()) / 2));
    }
    done({"replay of a small command", median(ratios), "numbers of a sort of 10^6",
          kReplayedNumbers, true,
          fmt::format("{:.2f} us, {:.0f} commands/s", median(times), 1e6 / median(times))});
}

}  // namespace okksim::sim::bench
