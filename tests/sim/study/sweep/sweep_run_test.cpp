// SPDX-License-Identifier: Apache-2.0
// The points of a sweep equal the runs of single commands, for every way to run the sweep.
#include "sim/study/sweep/sweep_run.h"

#include <fstream>
#include <map>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/execution/timed_graph.h"
#include "sim/planning/machine_plan.h"
#include "sim/study/sweep/point_table.h"
#include "sim/zoo/zoo.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using okksim::TemporaryFolder;
using sweep::PointStore;
using sweep::StoredPoint;

/// A small network on a few machines, some of which are invalid or too small.
constexpr const char* kSpec = R"(
[[workload]]
zoo = "mobilenet_v2"
size = 32
width = 0.25
[[axis]]
parameter = "chip.lanes"
values = [4, 24, 64]
[[axis]]
parameter = "chip.local_memory_bytes"
values = ["4KiB", "64KiB", "512KiB"]
[[axis]]
parameter = "host.launch_nanoseconds"
values = [1000, 20000]
)";

struct Sweep {
    TemporaryFolder folder;
    sweep::SweepSpec spec;

    explicit Sweep(const std::string& text) {
        const auto file = folder.path() / "s.toml";
        std::ofstream(file) << text;
        spec = sweep::read_sweep(file);
    }
    sweep::SweepOutcome run(PointStore& store, int jobs = 1, sweep::Shard shard = {}) const {
        sweep::SweepOptions options;
        options.jobs = jobs;
        options.shard = shard;
        return sweep::run_sweep(spec, store, options);
    }
    std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
};

/// Number and metrics of all points of a store's only sweep, as text.
std::map<std::uint64_t, std::string> contents(PointStore& store) {
    std::map<std::uint64_t, std::string> all;
    store.each_point(store.sweeps().at(0).id, [&](const StoredPoint& point) {
        std::string text = point.result.failure;
        for (std::size_t i = 0; i < point.result.figures.size(); ++i) {
            text += ' ' + std::to_string(point.result.figures[i]);
        }
        all[point.number] = text;
    });
    return all;
}

}  // namespace

TEST_CASE("every point has the time of a run on its machine, or the reason why there is none") {
    const Sweep sweep(kSpec);
    PointStore store(sweep.file("s.sqlite"), PointStore::Access::kWrite);
    const auto outcome = sweep.run(store, 2);
    CHECK(outcome.points == 18);
    CHECK(outcome.computed == 18);
    zoo::ZooOptions options;
    options.size = 32;
    options.width = 0.25;
    const graph::Graph graph = zoo::build_network("mobilenet_v2", options).graph;
    std::size_t ran = 0;
    store.each_point(outcome.sweep, [&](const StoredPoint& point) {
        std::vector<std::string> settings;
        for (const auto& [path, value] : point.settings) settings.push_back(path + "=" + value);
        CAPTURE(settings, point.result.failure);
        try {
            const Machine machine = load_machine("bm1684", settings);
            CHECK(point.machine == machine.hash());
            const auto plan = planning::plan_for_machine(graph, machine, planning::PlanEffort{});
            const auto report = execution::time_graph(graph, plan, machine, {});
            REQUIRE(!report.fault);
            CHECK(point.result.figures.get("us") == (report.end - report.start).microseconds());
            CHECK(point.result.figures.get("launch_us") == report.account.span.microseconds());
            ++ran;
        } catch (const std::exception& error) {
            CHECK(point.result.failure == error.what());
        }
    });
    CHECK(ran >= 10);
    CHECK(outcome.failed == 18 - ran);
}

TEST_CASE("shards, merged, and sweeps that go on have what one sweep has") {
    const Sweep sweep(kSpec);
    PointStore whole(sweep.file("whole.sqlite"), PointStore::Access::kWrite);
    sweep.run(whole);
    {
        PointStore first(sweep.file("1.sqlite"), PointStore::Access::kWrite);
        CHECK(sweep.run(first, 1, {0, 3}).points == 6);
        PointStore second(sweep.file("2.sqlite"), PointStore::Access::kWrite);
        sweep.run(second, 1, {1, 3});
    }
    PointStore merged(sweep.file("merged.sqlite"), PointStore::Access::kWrite);
    merged.merge(sweep.file("1.sqlite"));
    merged.merge(sweep.file("2.sqlite"));
    const auto rest = sweep.run(merged, 2);
    CHECK(rest.taken == 12);
    CHECK(rest.computed == 6);
    CHECK(contents(merged) == contents(whole));
    CHECK(sweep.run(merged).computed == 0);
}

TEST_CASE("a fixed plan runs as it is on machines of its shape") {
    const std::string fixed = std::string("plan = \"fixed\"\n") + kSpec;
    const Sweep sweep(fixed);
    PointStore store(sweep.file("s.sqlite"), PointStore::Access::kWrite);
    const auto outcome = sweep.run(store);
    // Out of three lanes and three memories, only bm1684's values fit, with two host times.
    CHECK(outcome.failed == 16);
    store.each_point(outcome.sweep, [&](const StoredPoint& point) {
        const bool fits = sweep::PointTable::setting(point, "chip.lanes") == "64" &&
                          sweep::PointTable::setting(point, "chip.local_memory_bytes") == "512KiB";
        CHECK(point.result.failure.empty() == fits);
    });
}

TEST_CASE("a point that many settings lead to is computed once") {
    const Sweep sweep(
        "[[workload]]\nzoo = \"mobilenet_v2\"\nsize = 32\nwidth = 0.25\n[[axis]]\nparameter = "
        "\"chip.local_memory_bytes\"\nvalues = [524288, \"512KiB\", \"0.5MiB\", \"x1\"]\n");
    PointStore store(sweep.file("s.sqlite"), PointStore::Access::kWrite);
    const auto outcome = sweep.run(store);
    CHECK(outcome.computed == 1);
    CHECK(store.sweeps().at(0).finished == 4);
}

TEST_CASE("metrics that say nothing are told before anything is computed") {
    const std::string workload = "[[workload]]\nzoo = \"mobilenet_v2\"\nsize = 32\nwidth = 0.25\n";
    for (const std::string metrics :
         {"[metrics]\nus = \"us * 2\"\n", "[metrics]\na = \"b\"\nb = \"1\"\n",
          "[metrics]\na = \"a\"\n", "[metrics]\nlanes = \"1\"\n"}) {
        CAPTURE(metrics);
        const Sweep sweep(workload + metrics);
        PointStore store(sweep.file("s.sqlite"), PointStore::Access::kWrite);
        CHECK_THROWS_AS(sweep.run(store), ConfigError);
        CHECK(store.sweeps().empty());
    }
}

TEST_CASE("too many points are a question, with the time that they take") {
    const Sweep sweep(
        "[[workload]]\nzoo = \"mobilenet_v2\"\nsize = 32\nwidth = 0.25\n[[axis]]\nparameter = "
        "\"bdc.startup_cycles\"\nrange = {from = 0, to = 1000, step = 1}\n[[axis]]\nparameter = "
        "\"gdma.setup_cycles\"\nrange = {from = 0, to = 1000, step = 1}\n[[axis]]\nparameter = "
        "\"bdc.broadcast_cycles\"\nrange = {from = 0, to = 1000, step = 1}\n");
    PointStore store(sweep.file("s.sqlite"), PointStore::Access::kWrite);
    try {
        sweep.run(store);
        FAIL("a billion points are not computed");
    } catch (const ConfigError& error) {
        CHECK(std::string(error.what()).find("1003003001 points") != std::string::npos);
        CHECK(std::string(error.what()).find(" ms each") != std::string::npos);
    }
}
