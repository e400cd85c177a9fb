// SPDX-License-Identifier: Apache-2.0
// Documents that users exchange: plans, values of a run, specifications of sweeps.
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "isa/base/temporary_folder.h"
#include "sim/execution/loaded_values.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/stored_plan.h"
#include "sim/report/plan_report.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/point_metrics.h"
#include "sim/study/sweep/sweep_spec.h"
#include "sim/zoo/zoo.h"
#include "tests/sim/files/fuzz_target.h"

namespace okksim::tests {
namespace {

namespace graph = sim::graph;

constexpr std::string_view kPlanPieces[] = {"{",           "}",          "[",
                                            "]",           ":",          ",",
                                            "\"",          "null",       "true",
                                            "-1",          "1e999",      "0",
                                            "[1,2]",       "\"0\"",      "4294967295",
                                            "4294967296",  "9",          "[[]]",
                                            "{}",          "\xff",       "\"chip.lanes\":\"3\"",
                                            "\"rows\":7",  "\"op\":1",   "\"kept\":true",
                                            "\"block\":9", "\"\\u0000\""};
constexpr std::string_view kSpecificationPieces[] = {"[",
                                                     "]",
                                                     "[[",
                                                     "]]",
                                                     "(",
                                                     ")",
                                                     "=",
                                                     "\"",
                                                     "\n",
                                                     "{",
                                                     "}",
                                                     ",",
                                                     "-1",
                                                     "0",
                                                     "nan",
                                                     "inf",
                                                     "1e9",
                                                     "1e-9",
                                                     "99999999999999999999",
                                                     "x2",
                                                     "x0",
                                                     "us",
                                                     "*",
                                                     "/",
                                                     "^",
                                                     "<=",
                                                     "&&",
                                                     "?1:",
                                                     "sin(",
                                                     "KiB",
                                                     "==",
                                                     "!",
                                                     "a,",
                                                     "\xff",
                                                     "\"a\"",
                                                     "#",
                                                     "rnd",
                                                     "min(",
                                                     "sum(",
                                                     "chip.lanes",
                                                     "[levels]",
                                                     "mode"};

graph::Graph small_network() {
    sim::zoo::ZooOptions options;
    options.precision = sim::zoo::Precision::kInt8;
    options.size = 4;
    options.width = 0.25;
    return sim::zoo::build_network("lstm", options).graph;
}

FileBytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

std::filesystem::path put(const TemporaryFolder& folder, const char* name, const FileBytes& bytes) {
    std::ofstream(folder.path() / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return folder.path() / name;
}

constexpr const char* kGrid = R"(name = "grid"
plan = "fixed"
set = ["mcu.issue=lists"]
constraints = ["chip.lanes * chip.local_memory_bytes <= 32MiB", "bdc.clock_mhz > 100"]
objectives = ["us", "cost"]
[[workload]]
trace = "none.trace"
[[axis]]
parameter = "chip.lanes"
values = [16, 32, "x2"]
[[axis]]
parameter = "bdc.clock_mhz"
range = {from = 300, to = 900, step = 300}
[[axis]]
bundle = "memory"
values = [{name = "small", "chip.local_memory_bytes" = "64KiB"}, {"chip.local_memory_bytes" = 262144}]
[metrics]
cost = "us * area_mm2"
[levels]
area_mm2 = [50, 100]
[slurm]
partition = "p"
shards = 3
)";
constexpr const char* kSample = R"(mode = "latin"
points = 20
seed = 3
[[workload]]
zoo = "lstm"
precision = "int8"
size = 4
[[axis]]
parameter = "gdma.clock_mhz"
log = {from = 100, to = 1000}
[[axis]]
parameter = "zoo.batch"
range = {from = 1, to = 4, count = 4}
)";

}  // namespace

FuzzTarget plan_target() {
    const auto folder = std::make_shared<TemporaryFolder>();
    const auto graph = std::make_shared<graph::Graph>(small_network());
    return {"plan",
            [folder, graph] {
                const sim::Machine machine = sim::load_machine("bm1684");
                const auto plan =
                    sim::planning::plan_for_machine(*graph, machine, sim::planning::PlanEffort{});
                sim::execution::save_values(folder->path() / "values",
                                            {{std::byte{1}, std::byte{2}}, {}});
                std::ifstream values(folder->path() / "values");
                return std::vector<FileBytes>{
                    bytes_of(sim::report::plan_json(*graph, plan, machine).dump()),
                    FileBytes{std::istreambuf_iterator<char>(values),
                              std::istreambuf_iterator<char>()}};
            },
            [folder, graph](const FileBytes& bytes) {
                const auto path = put(*folder, "document", bytes);
                try {
                    sim::execution::load_values(path);
                } catch (const ConfigError&) {
                    sim::planning::StoredPlan(path).plan(*graph);
                }
            },
            kPlanPieces};
}

FuzzTarget specification_target() {
    const auto folder = std::make_shared<TemporaryFolder>();
    const auto machine = std::make_shared<sim::Machine>(sim::load_machine("bm1684"));
    return {"specification",
            [] {
                return std::vector<FileBytes>{bytes_of(kGrid), bytes_of(kSample)};
            },
            [folder, machine](const FileBytes& bytes) {
                const auto spec =
                    sim::sweep::parse_sweep({bytes.begin(), bytes.end()}, "s.toml", *machine);
                const sim::sweep::PointMetrics metrics(spec, *machine);
                const sim::sweep::Design design(spec, *machine);
                // A specification may ask for a billion points; this test does not compute them.
                constexpr std::uint64_t kMostPoints = 10000;
                if (design.most_points() > kMostPoints || spec.points > kMostPoints) return;
                if (spec.sampling != sim::sweep::Sampling::kSearch) design.points();
            },
            kSpecificationPieces};
}

}  // namespace okksim::tests
