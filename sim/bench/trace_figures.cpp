// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/trace_figures.h"

#include <fmt/format.h>

#include "sim/bench/host_limits.h"
#include "sim/bench/median.h"
#include "sim/bench/small_commands.h"
#include "sim/bench/temporary_folder.h"
#include "sim/trace/replay.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim::bench {
namespace {

/// Bars of the project for one thread.
constexpr double kBytesPerCommand = 100;  // a million commands in 100 MB
constexpr double kRecordingPercent = 10;
constexpr double kReplayedPerSecond = 1e6;

}  // namespace

void measure_traces(const BenchOptions& options, const std::function<void(Figure)>& done) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "small.trace").string();
    const int count = options.quick ? 100000 : 400000;
    const int rounds = options.quick ? 5 : 15;
    const Machine machine = load_machine("bm1684");
    Simulation plain(machine, {});
    std::vector<double> overheads;
    for (int round = 0; round < rounds; ++round) {
        const double before = run_small_commands(plain, count);
        Simulation recorded(machine, {});
        trace::CommandRecorder recorder(path, machine);
        recorded.chip().add_observer(recorder);
        const double with_record = run_small_commands(recorded, count);
        recorder.finish();
        overheads.push_back(100 * (with_record / before - 1));
    }
    done({"recording small commands, on top of their run", median(overheads), "%",
          kRecordingPercent, true, ""});
    done({"command trace of small commands",
          static_cast<double>(std::filesystem::file_size(path)) / count, "bytes/command",
          kBytesPerCommand, true, ""});
    std::vector<double> rates;
    for (int round = 0; round < rounds; ++round) {
        const double start = thread_seconds();
        trace::replay(path, {});
        rates.push_back(count / (thread_seconds() - start));
    }
    done({"replay of small commands", median(rates), "commands/s", kReplayedPerSecond, false, ""});
}

}  // namespace okksim::sim::bench
