// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/contest.h"

#include "tests/sim/lab/fidelity/recorded_fills.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;

/// A machine with 1 us per command on the control processor, 10 us of set-up, and 5 us + 2 us per
/// launch.
sim::Machine round_machine() {
    return sim::load_machine(
        "bm1684",
        {"mcu.clock_mhz=1.0", "mcu.command_cycles=1", "gdma.clock_mhz=1.0", "gdma.setup_cycles=10",
         "gdma.piece_cycles=0.0", "gdma.local_bytes_per_cycle=1e6",
         "host.launch_nanoseconds=5000.0", "host.sync_nanoseconds=2000.0"});
}

TEST_CASE("Cases take the best correct kernel; absent and damaged traces are told") {
    const tests::RecordedKernels folder("contest");
    folder.write("summary.csv",
                 "op,case,contestant,gdma_calls,bdc_calls,correct,best_us\n"
                 "conv2d,0,A,3,0,yes,40\nconv2d,0,B,1,0,no,40\nconv2d,0,C,2,0,yes,40\n"
                 "conv2d,12,A,1,0,yes,1000\nmatmul,2,A,5,0,unverified,70\nmatmul,4,A,5,0,yes,70\n"
                 "softmax,0,A,2,0,yes,50\n");
    folder.write_fills("conv2d_00_A.jsonl", 3);
    folder.write_fills("conv2d_00_B.jsonl", 1);
    folder.write_fills("conv2d_00_C.jsonl", 2);
    folder.write_fills("conv2d_12_A.jsonl", 1);
    folder.write_fills("matmul_02_A.jsonl", 5);
    folder.write("softmax_00_A.jsonl", "{}\n");
    folder.write("notes.jsonl", "");
    sim::fidelity::ContestOptions options;
    options.traces = {folder.path};
    options.machines = {round_machine()};
    options.jobs = 2;
    std::size_t last = 0;
    const auto report = sim::fidelity::run_contest(
        options, [&](std::size_t done, std::size_t all) { last = done == all ? done : last; });
    CHECK(last == 6);
    REQUIRE(report.cases.size() == 5);
    CHECK(report.ignored == std::vector<std::string>{"notes.jsonl"});

    // Serial fills take 11 cycles each: 10 of set-up and 1 through the port, rounded up. The run
    // takes 5 (launch) + 1 us to write the first fill + 11 us each + 2 us sync.
    const auto& conv = report.cases[0];
    REQUIRE(conv.best(0) != nullptr);
    CHECK(conv.best(0)->contestant == "C");
    CHECK(conv.best(0)->simulated_us[0] == Approx(5 + 1 + 2 * 11 + 2));
    CHECK_FALSE(report.cases[1].counted);
    CHECK(report.cases[2].best(0)->simulated_us[0] == Approx(5 + 1 + 5 * 11 + 2));
    CHECK(report.cases[3].best(0) == nullptr);  // matmul 4: no trace
    CHECK(report.cases[4].best(0) == nullptr);  // softmax 0: damaged
    CHECK(report.cases[4].kernels[0].error.find("softmax_00_A.jsonl:1") != std::string::npos);

    // Cases that were not replayed cannot meet a target.
    CHECK(report.unread_kernels() ==
          std::vector<std::string>{"matmul 4 A (no trace)", "softmax 0 A (not replayed)"});

    // Two cases count: 30 / 40 and 63 / 70, errors 0.25 and 0.1.
    const auto figures = report.figures(0);
    CHECK(figures.count == 2);
    CHECK(figures.mean_absolute_error == Approx(0.175));
    CHECK(figures.worst_factor == Approx(40.0 / 30));
}

TEST_CASE("Cases come from several folders, each with its own history") {
    const tests::RecordedKernels folder("two_folders");
    std::filesystem::create_directories(folder.path / "even");
    std::filesystem::create_directories(folder.path / "odd");
    const std::string columns = "op,case,contestant,gdma_calls,bdc_calls,correct,best_us\n";
    folder.write("even/summary.csv", columns + "matmul,2,A,1,0,yes,40\n");
    folder.write("odd/summary.csv", columns + "matmul,3,A,2,0,yes,50\nmatmul,3,B,1,0,no,50\n");
    folder.write("odd/contest_history.csv",
                 "board,op,case,best_us\n1,matmul,3,52\n2,matmul,3,50\n");
    folder.write_fills("matmul_02_A.jsonl", 1);
    folder.write_fills("matmul_03_A.jsonl", 2);
    std::filesystem::rename(folder.path / "matmul_02_A.jsonl",
                            folder.path / "even/matmul_02_A.jsonl");
    std::filesystem::rename(folder.path / "matmul_03_A.jsonl",
                            folder.path / "odd/matmul_03_A.jsonl");
    folder.write("odd/matmul_03_B.jsonl", "{}\n");
    sim::fidelity::ContestOptions options;
    options.traces = {folder.path / "even", folder.path / "odd", folder.path / "missing"};
    options.machines = {round_machine()};
    const auto report = sim::fidelity::run_contest(options, [](std::size_t, std::size_t) {});
    REQUIRE(report.cases.size() == 2);
    CHECK_FALSE(report.cases[0].range);
    REQUIRE(report.cases[1].range);
    CHECK(report.cases[1].range->low == 50);
    CHECK(report.cases[1].range->high == 52);
    CHECK(report.figures(0).count == 2);
    CHECK_FALSE(report.cases[0].further);
    CHECK(report.cases[1].further);
    CHECK(report.has_further());
    // The machine refuses kernel B, which is wrong, so nothing is missing.
    CHECK_FALSE(report.cases[1].kernels[1].error.empty());
    CHECK(report.unread_kernels().empty());
}

TEST_CASE("A trace of another kernel is not judged by its name") {
    const tests::RecordedKernels folder("exchanged");
    folder.write_fills("matmul_07_B.jsonl", 2);
    std::filesystem::rename(folder.path / "matmul_07_B.jsonl", folder.path / "conv2d_00_A.jsonl");
    sim::fidelity::ContestOptions options;
    options.traces = {folder.path};
    options.machines = {round_machine()};
    const auto report = sim::fidelity::run_contest(options, [](std::size_t, std::size_t) {});
    REQUIRE(report.cases.size() == 1);
    CHECK(report.cases[0].best(0) == nullptr);
    CHECK(report.cases[0].kernels[0].error.find("is the trace of matmul 7 B") != std::string::npos);
}

TEST_CASE("Bars are met only by all kernels that the summary names") {
    sim::fidelity::ContestReport report;
    for (const double us : {100., 200.}) {
        sim::fidelity::ContestCase& entry = report.cases.emplace_back();
        entry.op = "conv2d";
        entry.silicon_us = us;
        for (const char* contestant : {"A", "B"}) {
            entry.kernels.push_back({contestant, "yes", "trace.jsonl", 1, {}, {us}});
        }
    }
    CHECK(report.met());
    sim::fidelity::ContestKernel& kernel = report.cases[0].kernels[1];
    kernel.trace.clear();
    CHECK_FALSE(report.met());
    kernel.trace = "trace.jsonl";
    kernel.error = "damaged";
    CHECK_FALSE(report.met());
}

TEST_CASE("Bars judge the first folder's cases alone") {
    sim::fidelity::ContestReport report;
    for (const bool further : {false, true}) {
        sim::fidelity::ContestCase& entry = report.cases.emplace_back();
        entry.op = "conv2d";
        entry.silicon_us = 100;
        entry.further = further;
        entry.kernels.push_back({"A", "yes", "trace.jsonl", 1, {}, {further ? 150. : 100.}});
    }
    CHECK(report.met());
    CHECK(report.figures(0).mean_absolute_error == Approx(0.25));
    // A kernel without a time fails in any folder.
    report.cases[1].kernels[0].error = "damaged";
    CHECK_FALSE(report.met());
    report.cases[1].kernels[0].error.clear();
    report.cases[1].further = false;
    CHECK_FALSE(report.met());
}

}  // namespace
