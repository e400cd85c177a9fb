// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/second_chip.h"

#include "tests/sim/lab/fidelity/recorded_fills.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;

constexpr const char* kColumns =
    "engine,command,start_cycle,duration_cycles,layer,kind,waits_for,dst_h_stride,"
    "dst_c_stride,dst_n_stride,src_h_stride,src_c_stride,src_n_stride,dst_c,src_c,"
    "dst_w,dst_h,src_w,src_h,src_n\n";

TEST_CASE("Recorded transfers are priced by the other machine's laws, in order with their waits") {
    const tests::RecordedKernels folder("second_chip");
    // 1000 bytes at one byte per cycle of 1 us, after a set-up of 100. Lines of 10 bytes take a
    // further cycle each where they are not contiguous. That makes 1100 in one piece and 1200 in
    // 100 pieces. The second load waits for the compute command, which waits for the first load.
    folder.write(
        "record.csv",
        std::string(kColumns) +
            "load,1,50,1000,1,TDMA Tensor Load,0,10,1000,1000,10,1000,1000,1,1,10,100,10,100,1\n"
            "compute,1,1050,500,1,TIU,,,,,,,,,,,,,,\n"
            "load,2,1550,1200,1,TDMA Tensor Load,1,16,1600,1600,10,1000,1000,1,1,10,100,10,100,1\n"
            "3,3,2750,7,1,TDMA Tensor Move,1,,,,,,,,,,,,,\n");
    const auto machine = sim::load_machine(
        "cv1835", {"gdma.clock_mhz=1.0", "gdma.setup_cycles=100", "gdma.piece_cycles=1.0",
                   "dram.read_bytes_per_nanosecond=0.001", "dram.read_latency_nanoseconds=0.0"});
    const auto report = sim::fidelity::replay_second_chip(folder.path / "record.csv", machine);
    REQUIRE(report.kinds.size() == 1);
    // One piece adds a cycle: 1101 against 1000; 1200 against 1200.
    CHECK(report.kinds[0].count == 2);
    CHECK(report.kinds[0].median == Approx(0).margin(1e-6));
    CHECK(report.kinds[0].p90 == Approx(0.101));
    // Each load has a different shape.
    CHECK(report.kinds[0].shapes == 2);
    CHECK(report.kinds[0].shape_median == Approx(report.kinds[0].median));
    CHECK(report.kinds[0].bias == Approx(0).margin(1e-6));
    CHECK(report.met());
    CHECK(report.recorded_cycles == 2757 - 50);
    CHECK(report.simulated_cycles == Approx(1101 + 500 + 1200 + 7));
}

TEST_CASE("A shape that was moved often counts once among the shapes") {
    const tests::RecordedKernels folder("second_chip_shapes");
    // By the cost model of cv1835 a load of one byte takes 58 + ceil(0.9) + 0.085 + 30 cycles,
    // about 89.1. Three records have 89. Two of other shapes have twice the time that their 2 and 3
    // bytes take.
    std::string rows = kColumns;
    for (int i = 1; i <= 3; ++i) {
        rows += "load," + std::to_string(i) + "," + std::to_string(i * 100) +
                ",89,1,TDMA Tensor Load,0,1,1,1,1,1,1,1,1,1,1,1,1,1\n";
    }
    rows +=
        "load,4,400,178,1,TDMA Tensor Load,0,2,2,2,2,2,2,1,1,2,1,2,1,1\n"
        "load,5,600,178,1,TDMA Tensor Load,0,3,3,3,3,3,3,1,1,3,1,3,1,1\n";
    folder.write("record.csv", rows);
    const auto report =
        sim::fidelity::replay_second_chip(folder.path / "record.csv", sim::load_machine("cv1835"));
    REQUIRE(report.kinds.size() == 1);
    CHECK(report.kinds[0].shapes == 3);
    CHECK(report.kinds[0].median < 0.01);
    CHECK(report.kinds[0].bias > -0.01);
    CHECK(report.kinds[0].shape_median == Approx(0.5).margin(0.01));
}

TEST_CASE("A record without commands, or with a time that is none, is refused") {
    const tests::RecordedKernels folder("second_chip_bad");
    const auto machine = sim::load_machine("cv1835");
    const auto replay = [&](const std::string& row) {
        folder.write("record.csv", kColumns + row);
        return sim::fidelity::replay_second_chip(folder.path / "record.csv", machine);
    };
    CHECK_THROWS_WITH(replay(""), Catch::Contains("no row below"));
    const std::string rest = ",1,TDMA Tensor Load,0,1,1,1,1,1,1,1,1,1,1,1,1,1\n";
    CHECK_THROWS_WITH(replay("load,1,0,99999999999999" + rest),
                      Catch::Contains("duration_cycles") && Catch::Contains("2147483647"));
    CHECK_THROWS_WITH(replay("load,1,0,0" + rest), Catch::Contains("duration_cycles"));
}

}  // namespace
