// SPDX-License-Identifier: Apache-2.0
// The reference machine against the shared measurements: recorded kernels on the chip's modules and
// in closed form, and every target of `okksim fidelity`.
#include <algorithm>

#include "models/chip/in_order_machine.h"
#include "sim/device/chip_device.h"
#include "sim/lab/fidelity/bandwidth.h"
#include "sim/lab/fidelity/contest.h"
#include "sim/lab/fidelity/estimator.h"
#include "sim/lab/fidelity/goals.h"
#include "sim/trace/call_replay.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace {

using namespace okksim;
namespace fs = std::filesystem;

/// Folder with estimator/ and traces/, next to the golden vectors.
std::optional<fs::path> timing_dir() {
    const auto golden = tests::golden_dir();
    if (golden && fs::is_directory(*golden / ".." / "timing")) return *golden / ".." / "timing";
    tests::skip_without("folder \"timing\" beside the golden vectors (set OKKSIM_GOLDEN_DIR)");
    return std::nullopt;
}

TEST_CASE("Recorded kernels take the same time on the chip and in closed form", "[golden]") {
    const auto timing = timing_dir();
    if (!timing) return;
    const sim::Machine machine = sim::load_machine("bm1684");
    for (const char* name : {"conv2d_00_A", "conv2d_10_D", "depthwise2d_06_B", "matmul_12_E",
                             "matmul_14_B", "softmax_02_C", "softmax_04_D"}) {
        INFO(name);
        const fs::path path = *timing / "traces" / (std::string(name) + ".jsonl.xz");
        if (!fs::exists(path)) continue;
        const auto body = [&](isa::CommandPort& port) {
            sim::trace::CallTraceReader trace(path, port.machine());
            firmware::Context context(port, sim::context_options(machine));
            context.begin_launch();
            sim::trace::make_calls(context, trace);
        };
        models::Picoseconds on_chip;
        sim::Simulation simulation(machine, {.with_data = false});
        simulation.launch({body, [&](models::Picoseconds start, models::Picoseconds end) {
                               on_chip = end - start;
                           }});
        simulation.run();
        models::InOrderMachine closed(machine.params);
        closed.begin_launch();
        body(closed);
        CHECK(closed.end_launch() == on_chip);
    }
}

TEST_CASE("The reference machine meets every bar", "[golden]") {
    const auto timing = timing_dir();
    if (!timing) return;
    const sim::Machine machine = sim::load_machine("bm1684");
    CHECK(sim::fidelity::compare_with_estimator(*timing / "estimator", machine).met());

    sim::fidelity::ContestOptions options;
    options.traces = {*timing / "traces", *timing / "traces_more"};
    options.history = *timing / ".." / "silicon" / "contest_history.csv";
    options.leaderboard = *timing / ".." / "silicon" / "leaderboard.csv";
    options.machines = {machine};
    options.jobs = 2;
    const auto contest = sim::fidelity::run_contest(options, [](std::size_t, std::size_t) {});
    CHECK(contest.met());
    for (const auto& goal : sim::fidelity::goals({.contest = &contest})) {
        INFO(goal.what << " " << goal.value);
        CHECK(goal.kept());
    }
    for (const auto& entry : contest.cases) {
        for (const auto& kernel : entry.kernels) {
            CHECK((kernel.error.empty() || kernel.correct == "no"));
        }
    }
    for (const auto& rate : sim::fidelity::measure_rates(machine)) {
        INFO(rate.name << " " << rate.simulated);
        CHECK(rate.met());
    }
}

}  // namespace
