// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/answers.h"

#include "sim/study/sweep/machine_rows.h"
#include "tests/sim/study/sweep/made_up_table.h"
#include "tests/support/catch.h"

using okksim::sim::sweep::front_of;
using okksim::sim::sweep::knee_of;
using okksim::sim::sweep::MachineRow;

namespace {

std::vector<MachineRow> rows(const std::vector<std::vector<double>>& objectives) {
    std::vector<MachineRow> all;
    for (const auto& values : objectives) all.push_back({{}, {}, values});
    return all;
}

using Positions = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a front holds whom nobody beats, once") {
    // (2, 4) dominates (2, 5), the second (1, 9) repeats the first, () did not run.
    CHECK(front_of(rows({{3, 3}, {1, 9}, {2, 5}, {2, 4}, {1, 9}, {}, {4, 3}, {9, 1}})) ==
          Positions{1, 3, 0, 7});
    CHECK(front_of(rows({{5}, {4}, {6}})) == Positions{1});
    CHECK(front_of(rows({{}, {}})).empty());
}

TEST_CASE("the knee is where more of the one buys little of the other") {
    // In logarithms to base 10, the Pareto front is (0, 4), (1, 1), (2, 0.5), (4, 0). The line
    // between the ends has x + y = 4. (1, 1) is 2 from it and (2, 0.5) is 1.5, times the root of
    // one half.
    const auto all = rows({{1, 1e4}, {10, 10}, {100, 3.1623}, {1e4, 1}});
    CHECK(knee_of(all, front_of(all)) == 1u);
    const auto two = rows({{1, 2}, {2, 1}});
    CHECK(!knee_of(two, front_of(two)));
}

TEST_CASE("a workload that fails on every machine is left out, and the others have answers") {
    const okksim::tests::MadeUpTable table(
        "objectives = [\"us\", \"area_mm2\"]\n[[axis]]\nparameter = \"chip.lanes\"\n"
        "values = [16, 32]\n[[workload]]\nname = \"bad\"\ntrace = \"failing.trace\"\n",
        [](const okksim::tests::Setting& setting, okksim::sim::sweep::Figures& figures) {
            figures.set("us", 6400 / setting("chip.lanes"));
            figures.set("area_mm2", setting("chip.lanes"));
        });
    CHECK((*table).failed_workloads() == std::vector<std::string>{"bad"});
    const std::string text = answers_text(*table);
    CHECK(text.find(
              "Left out: workload bad, which failed on all 2 machines: the made-up reason\n") == 0);
    // More lanes are faster and larger, so both machines are on the Pareto front.
    CHECK(text.find("Pareto front of us, area_mm2: 2 of 2 machines\n") != std::string::npos);
}

TEST_CASE(
    "without a Pareto front the answers name the workloads, their number of machines and why") {
    const okksim::tests::MadeUpTable table(
        "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16, 32]\n",
        [](const okksim::tests::Setting&, okksim::sim::sweep::Figures&) {});
    const std::string text = answers_text(*table);
    CHECK(text.find("No Pareto front: no machine has a value of every objective (us") == 0);
    CHECK(text.find(" workload none has no value of an objective on 2 of 2 machines\n") !=
          std::string::npos);
}
