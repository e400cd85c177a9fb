// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/silicon_ranges.h"

#include <array>

#include "sim/lab/fidelity/contest.h"
#include "tests/sim/lab/fidelity/recorded_fills.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::fidelity::SiliconRange;
using sim::fidelity::stable_range;

TEST_CASE("A range reaches back as long as the boards' values are close to the last") {
    // 5 % of 1000 is 50: the range includes 1040 and 960. 1100 is another kernel; earlier values do
    // not count even if they are close. The fastest of all is 950.
    const std::array values{950.0, 990.0, 1100.0, 1040.0, 960.0, 1000.0};
    const SiliconRange range = stable_range(values);
    CHECK(range.low == 960);
    CHECK(range.high == 1040);
    CHECK(range.fastest == 950);
    CHECK(range.error(960) == 0);
    CHECK(range.error(1040) == 0);
    CHECK(range.error(912) == Approx(-0.05));
    CHECK(range.error(1092) == Approx(0.05));
    // The tolerance is at least 10 us, even where that exceeds 5 %.
    const std::array small{111.0, 110.0, 92.0, 100.0};
    CHECK(stable_range(small).low == 92);
    CHECK(stable_range(small).high == 110);
}

TEST_CASE("Errors count outside the ranges; too fast kernels are impossible") {
    const tests::RecordedKernels folder("ranges");
    folder.write("history.csv",
                 "board,op,case,best_us\nfirst,matmul,4,90\nlast,matmul,4,100\nlast,matmul,6,100\n"
                 "last,softmax,0,1\n");
    const auto ranges = sim::fidelity::read_ranges(folder.path / "history.csv");
    REQUIRE(ranges.size() == 3);
    sim::fidelity::ContestReport report;
    const auto add = [&](int number, double fast, double slow, const char* correct) {
        sim::fidelity::ContestCase entry;
        entry.op = "matmul";
        entry.number = number;
        entry.silicon_us = 100;
        entry.range = ranges.at({"matmul", number});
        entry.kernels.push_back({"A", correct, {}, 1, {}, {fast}});
        entry.kernels.push_back({"B", "yes", {}, 1, {}, {slow}});
        report.cases.push_back(entry);
    };
    // The range is 90 to 100, the fastest board 90, so 85.5 and more is plausible: A 81 is not, B
    // 99 is.
    add(4, 81, 99, "yes");
    // One board: 110 is 10 % outside; 20 is implausible, but not correct anyway.
    add(6, 20, 110, "no");
    CHECK(report.mean_error_outside(0) == Approx((0.1 + 0.1) / 2));
    CHECK(report.impossible_kernels(0) == std::vector<std::string>{"matmul 4 A"});
}

}  // namespace
