// SPDX-License-Identifier: Apache-2.0
// The gate reports machines that change, leave a sweep's Pareto front or join it, with a reason.
#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/lab/gate/baseline.h"
#include "sim/study/gate/compare_baselines.h"
#include "sim/study/gate/compare_sweeps.h"
#include "sim/study/sweep/point_names.h"
#include "tests/support/catch.h"

namespace okksim::sim::gate {
namespace {

/// A machine with a time and an area; all but 5 us of the time is BDC busy time.
SweepPoint point(int lanes, double us, double area) {
    return {"chip.lanes=" + std::to_string(lanes),
            "",
            {us, area},
            {{"us", us}, {"bdc_busy_us", us - 5}, {"gdma_dram_bandwidth_us", 5}}};
}

SweepRecord record(std::vector<SweepPoint> points) {
    return {"net", "bm1684", "0123456789abcdef", {"us", "area_mm2"}, std::move(points)};
}

/// Three machines, all on the Pareto front.
SweepRecord base() { return record({point(16, 40, 10), point(32, 20, 20), point(64, 12, 40)}); }

bool mentions(const CaseComparison& comparison, const std::string& words) {
    for (const std::string& reason : comparison.reasons) {
        if (reason.find(words) != std::string::npos) return true;
    }
    return false;
}

/// A network that takes some milliseconds to simulate, on four machines.
const GateSweep& small_sweep() {
    static const GateSweep sweep{"small", R"(
objectives = ["us", "area_mm2"]
[[workload]]
zoo = "mobilenet_v2"
size = 32
width = 0.25
[[axis]]
parameter = "chip.lanes"
values = [0, 16, 64]
[[axis]]
parameter = "dram.read_bytes_per_nanosecond"
values = [16, 64]
)"};
    return sweep;
}

}  // namespace

TEST_CASE("gate/a sweep that is the same is the same") {
    const auto same = compare_sweep_records(base(), base(), 0.02);
    CHECK(same.verdict == Verdict::kSame);
    CHECK(same.reasons.empty());
    // Geometric mean: the third root of 40 * 20 * 12 = 9600.
    CHECK(same.base_us == Approx(std::cbrt(9600)));
}

TEST_CASE(
    "gate/machines that move within the threshold pass, beyond it they are told with causes") {
    SweepRecord next = base();
    next.points[1] = point(32, 20.2, 20);  // 1 %
    CHECK(compare_sweep_records(base(), next, 0.02).verdict == Verdict::kSame);
    next.points[1] = point(32, 22, 20);  // 10 %, all of it busy
    const auto slower = compare_sweep_records(base(), next, 0.02);
    CHECK(slower.verdict == Verdict::kSlower);
    CHECK_FALSE(passes(slower.verdict));
    CHECK(mentions(slower, "1 of 3 machines changed; on average +2.00 us bdc busy"));
    CHECK(mentions(slower, "chip.lanes=32: us 20 -> 22 (+10.00 %), +2.00 us bdc busy"));
    next.points[1] = point(32, 18, 20);
    const auto faster = compare_sweep_records(base(), next, 0.02);
    CHECK(faster.verdict == Verdict::kFaster);
    CHECK(mentions(faster, "-2.00 us bdc busy"));
    // Area counts like time; no cause of an engine explains it.
    next.points[1] = point(32, 20, 22);
    const auto larger = compare_sweep_records(base(), next, 0.02);
    CHECK(larger.verdict == Verdict::kSlower);
    CHECK(mentions(larger, "area_mm2 20 -> 22 (+10.00 %), with the same time by cause"));
}

TEST_CASE("gate/a front of other machines is a difference, also where all are faster") {
    // 16 lanes become as fast as 32: they dominate 32 lanes by their smaller area.
    SweepRecord next = base();
    next.points[0] = point(16, 19, 10);
    const auto left = compare_sweep_records(base(), next, 0.02);
    CHECK(left.verdict == Verdict::kMoved);
    CHECK_FALSE(passes(left.verdict));
    CHECK(
        mentions(left, "left the Pareto front: chip.lanes=32: unchanged, other machines changed"));
    CHECK(mentions(left, "chip.lanes=16: us 40 -> 19 (-52.50 %), -21.00 us bdc busy"));
    const auto came = compare_sweep_records(next, base(), 0.02);
    CHECK(came.verdict == Verdict::kMoved);
    CHECK(mentions(came, "joined the Pareto front: chip.lanes=32: unchanged"));
}

TEST_CASE("gate/a machine that no longer runs, and another sweep, are changes") {
    SweepRecord next = base();
    next.points[2] = {"chip.lanes=64", "no plan fits", {}, {}};
    const auto fails = compare_sweep_records(base(), next, 0.02);
    CHECK(fails.verdict == Verdict::kChanged);
    CHECK(mentions(fails, "chip.lanes=64: no plan fits"));
    CHECK(mentions(fails, "left the Pareto front: chip.lanes=64"));
    CHECK(compare_sweep_records(next, base(), 0.02).verdict == Verdict::kMoved);  // it came
    next = base();
    next.points.pop_back();
    const auto fewer = compare_sweep_records(base(), next, 0.02);
    CHECK(fewer.verdict == Verdict::kChanged);
    CHECK(mentions(fewer, "another sweep: 3 and 2 machines, of which 2 are in both"));
    next = base();
    next.objectives = {"us", "energy_j"};
    CHECK(mentions(compare_sweep_records(base(), next, 0.02), "other objectives"));
}

TEST_CASE("gate/sweeps are recorded, the same each time, and compared by folder") {
    const TemporaryFolder first, second;
    record_sweep(small_sweep(), load_machine("bm1684"), first.path());
    record_sweep(small_sweep(), load_machine("bm1684"), second.path());
    auto cases = compare_baselines(first.path(), second.path(), 0);
    REQUIRE(cases.size() == 1);
    CHECK(cases[0].name == "small");
    CHECK(cases[0].verdict == Verdict::kSame);
    CHECK(cases[0].reasons.empty());
    const SweepRecord record = load_sweep_record(first.path() / "small.sweep.trace");
    REQUIRE(record.points.size() == 6);
    CHECK_FALSE(record.points[0].failure.empty());  // no lanes
    const SweepPoint& last = record.points[5];
    CHECK(last.settings == "chip.lanes=64 dram.read_bytes_per_nanosecond=64");
    CHECK(last.objectives[0] == last.figure("us"));
    // All causes of an engine together give the time including the launch.
    double sum = 0;
    for (const auto& [name, value] : last.figures) {
        if (name.starts_with("bdc_") && name.ends_with("_us")) sum += value;
    }
    CHECK(sum == Approx(last.figure("launch_us")));
    // A number that contradicts the others was edited.
    const std::filesystem::path path = second.path() / "small.sweep.trace";
    for (std::size_t i = 0; i < last.figures.size(); ++i) {
        SweepRecord changed = record;
        auto& [name, value] = changed.points[5].figures[i];
        value *= 2;
        save_sweep_record(changed, path);
        cases = compare_baselines(first.path(), second.path(), 0.02);
        INFO(name);
        CHECK_FALSE(passes(cases[0].verdict));
        const bool is_sum = name.ends_with("_us") || name.ends_with("_w") || name.ends_with("_j") ||
                            name.ends_with("_share");
        const bool is_alone = name == "floor_us" || name == "reachable_bound_us";
        if (is_sum && !is_alone) CHECK(cases[0].verdict == Verdict::kDamaged);
        if (is_sum && !is_alone) CHECK(mentions(cases[0], "a value was edited"));
    }
    SweepRecord changed = record;
    changed.points[5].objectives[0] *= 2;
    save_sweep_record(changed, path);
    cases = compare_baselines(first.path(), second.path(), 0.02);
    CHECK(cases[0].verdict == Verdict::kDamaged);
    CHECK(mentions(cases[0], "the objective us is"));
    // Slower DRAM reads make the sweep slower, and the reason names DRAM.
    record_sweep(small_sweep(), load_machine("bm1684", {"dram.read_latency_nanoseconds=2000"}),
                 second.path());
    cases = compare_baselines(first.path(), second.path(), 0.001);
    CHECK_FALSE(passes(cases[0].verdict));
    CHECK(mentions(cases[0], "another machine"));
    CHECK(mentions(cases[0], "us gdma dram latency"));
    std::ofstream(second.path() / "small.sweep.trace") << "{}";
    CHECK(compare_baselines(first.path(), second.path(), 0)[0].verdict == Verdict::kDamaged);
    std::filesystem::remove(second.path() / "small.sweep.trace");
    CHECK_THROWS_AS(compare_baselines(first.path(), second.path(), 0), ConfigError);
}

TEST_CASE("gate/the sweeps of the gate have names of their own and machines that differ") {
    for (const GateSweep& sweep : gate_sweeps()) {
        CAPTURE(sweep.name);
        CHECK(sweep.name.starts_with("sweep_"));
    }
    CHECK(gate_sweeps().size() >= 2);
}

}  // namespace okksim::sim::gate
