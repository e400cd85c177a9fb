// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/answers.h"

#include "sim/study/sweep/machine_rows.h"
#include "sim/study/sweep/slower_machines.h"
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
    // Three objectives from 1 to 100. Their scaled logarithms have the sums 2, 2, 2 and, of
    // (10, 10, 1.5), 0.5 + 0.5 + 0.09 = 1.09.
    const auto three = rows({{1, 100, 100}, {100, 1, 100}, {100, 100, 1}, {10, 10, 1.5}});
    CHECK(knee_of(three, front_of(three)) == 3u);
    const auto ends = rows({{1, 100, 100}, {100, 1, 100}, {100, 100, 1}});
    CHECK(!knee_of(ends, front_of(ends)));
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

TEST_CASE(
    "properties of networks make variants of workloads, not machines; bundles have their names") {
    const okksim::tests::MadeUpTable table(
        "objectives = [\"us\", \"area_mm2\"]\n"
        "[[workload]]\nzoo = \"mobilenet_v2\"\nsize = 32\nwidth = 0.25\n"
        "[[axis]]\nparameter = \"zoo.precision\"\nvalues = [\"fp32\", \"int8\"]\n"
        "[[axis]]\nbundle = \"dram\"\n"
        "values = [{ name = \"x1\", \"dram.read_bytes_per_nanosecond\" = 32, "
        "\"dram.write_bytes_per_nanosecond\" = 27 }, { name = \"x2\", "
        "\"dram.read_bytes_per_nanosecond\" = 64, \"dram.write_bytes_per_nanosecond\" = 54 }]\n",
        [](const okksim::tests::Setting& setting, okksim::sim::sweep::Figures& figures) {
            figures.set("us", 6400 / setting("dram.read_bytes_per_nanosecond"));
            figures.set("area_mm2", setting("dram.read_bytes_per_nanosecond"));
        });
    // The workload without variants, and two variants of the network, on two machines.
    CHECK((*table).points().size() == 6);
    CHECK(machine_rows(*table).size() == 2);
    const std::string text = answers_text(*table);
    CHECK(text.find("2 of 2 machines") != std::string::npos);
    CHECK(text.find("mobilenet_v2 int8 ") != std::string::npos);
    CHECK(text.find("  dram=x2\n") != std::string::npos);
    CHECK(text.find("2.0000x  dram: best x2, worst x1\n") != std::string::npos);
    CHECK(text.find("zoo.precision") == std::string::npos);
    // The note of `okksim run` about emulated types stands once, for both machines.
    const auto note =
        text.find("mobilenet_v2 int8 on 2 of 2 machines: The machine bm1684 has no products of i8");
    CHECK(note != std::string::npos);
    CHECK(text.find("has no products of", note + 80) == std::string::npos);
    // CSV keeps the column of the property.
    CHECK((*table).csv().find("number,workload,machine_hash,zoo.precision,") == 0);
}

TEST_CASE("workloads that fail on different machines leave an answer about the others") {
    int point = 0;
    const okksim::tests::MadeUpTable table(
        "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16, 32]\n"
        "[[workload]]\nname = \"bad\"\ntrace = \"failing.trace\"\n"
        "[[workload]]\nname = \"worse\"\ntrace = \"failing.trace\"\n",
        [&](const okksim::tests::Setting&, okksim::sim::sweep::Figures& figures) {
            figures.set("us", ++point);
        });
    CHECK((*table).failed_workloads() == std::vector<std::string>{"bad", "worse"});
    CHECK(answers_text(*table).find("Pareto front of us: 1 of 2 machines\n") != std::string::npos);
}

TEST_CASE("a workload that is slower on a better machine is named with both machines") {
    using okksim::sim::sweep::parameter_direction;
    CHECK(parameter_direction("dram.read_bytes_per_nanosecond") == 1);
    CHECK(parameter_direction("gdma.setup_cycles") == -1);
    CHECK(parameter_direction("chip.lanes") == 0);
    const okksim::tests::MadeUpTable table(
        "[[axis]]\nparameter = \"bdc.clock_mhz\"\nvalues = [500, 600, 700]\n"
        "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [16, 32]\n",
        [](const okksim::tests::Setting& setting, okksim::sim::sweep::Figures& figures) {
            // 600 MHz is slower than 500 MHz with 16 lanes. 32 lanes are always slower than 16, in
            // which physics has no direction.
            const double clock = setting("bdc.clock_mhz"), lanes = setting("chip.lanes");
            figures.set("us", 1000 - clock + 10 * lanes + (clock == 600 && lanes == 16 ? 150 : 0));
        });
    const auto slower = slower_machines(machine_rows(*table));
    REQUIRE(slower.size() == 1);
    // 1000 - 600 + 160 + 150 = 710 and 1000 - 500 + 160 = 660.
    CHECK(slower[0].us_better == 710);
    CHECK(slower[0].us_worse == 660);
    CHECK(slower[0].pairs == 1);
    CHECK(answers_text(*table).find("Slower on a better machine: none takes 710.0 us on "
                                    "bdc.clock_mhz=600 chip.lanes=16, but 660.0 us on "
                                    "bdc.clock_mhz=500 chip.lanes=16") != std::string::npos);
}
