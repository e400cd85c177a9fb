// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/trace_figures.h"

#include <fmt/format.h>

#include <memory>

#include "isa/base/temporary_folder.h"
#include "sim/lab/bench/host_limits.h"
#include "sim/lab/bench/small_commands.h"
#include "sim/lab/bench/turns.h"
#include "sim/trace/replay.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim::bench {
namespace {

/// Targets of the project for one thread.
constexpr double kBytesPerCommand = 100;  // a million commands in 100 MB
constexpr double kRecordingPercent = 10;
constexpr double kReplayedNumbers = 15;

constexpr int kReplays = 5;

/// A chip that records its commands in a file.
struct Recording {
    Recording(const std::string& path, const Machine& machine)
        : simulation(machine, {}), recorder(path, machine) {
        simulation.add_observer(recorder);
    }

    Simulation simulation;
    trace::CommandRecorder recorder;
};

}  // namespace

void measure_traces(const BenchOptions& options, const std::function<void(Figure)>& done) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "small.trace").string();
    constexpr int kCount = 20000;
    const Machine machine = load_machine("bm1684");
    Least without, with;
    const auto percent = [&] { return 100 * (with.seconds() / without.seconds() - 1); };
    std::unique_ptr<Recording> recording;
    int commands = 0;  // in the recording
    const auto make = [&] {
        recording.reset();  // before the next one writes to its file
        recording = std::make_unique<Recording>(path, machine);
        commands = 0;
        return [&, plain = std::make_unique<Simulation>(machine, models::ChipOptions{})] {
            without.add(run_small_commands(*plain, kCount));
            with.add(run_small_commands(recording->simulation, kCount));
            commands += kCount;
        };
    };
    take_turns_anew(options.quick ? 21 : 61, make, [&] { return percent() <= kRecordingPercent; });
    recording->recorder.finish();
    done({"recording small commands, on top of their run", percent(), "%", kRecordingPercent, true,
          ""});
    done({"command trace of small commands",
          static_cast<double>(std::filesystem::file_size(path)) / commands, "bytes/command",
          kBytesPerCommand, true, ""});
    Least replay, sort;
    const auto numbers = [&] { return 1e6 * replay.seconds() / (commands * sort.seconds()); };
    const auto round = [&] {
        sort.add(measure_sort());
        const double start = thread_seconds();
        trace::replay(path, {});
        replay.add(thread_seconds() - start);
    };
    take_turns(kReplays, round, [&] { return numbers() <= kReplayedNumbers; });
    const double each = replay.seconds() / commands;
    done({"replay of a small command", numbers(), "numbers of a sort of 10^6", kReplayedNumbers,
          true, fmt::format("{:.2f} us, {:.0f} commands/s", each * 1e6, 1 / each)});
}

}  // namespace okksim::sim::bench
