// SPDX-License-Identifier: Apache-2.0
// okksim_bound_duel [count] [first seed]: random networks on random machines, planned in every way.
// The reachable bound never exceeds the time of a plan, and a step's bound never exceeds the step's
// time.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <stdexcept>

#include "isa/base/fault.h"
#include "isa/features.h"
#include "sim/bound/reachable_bound.h"
#include "sim/execution/timed_graph.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "tests/support/random_byte_layers.h"
#include "tests/support/random_layers.h"
#include "tests/support/random_machine.h"
#include "tests/support/small_graph.h"

namespace {

using namespace okksim;
using models::Picoseconds;
using sim::Machine;
using sim::bound::ReachableBound;
using sim::graph::Graph;
using sim::planning::GraphPlan;
using tests::RandomSource;

std::vector<std::string> random_settings(RandomSource& random) {
    const auto set = [](const char* path, std::int64_t value) {
        return std::string(path) + "=" + std::to_string(value);
    };
    return {
        set("chip.lanes", random.pick({4, 8, 16, 24, 32, 64, 128})),
        set("chip.local_memory_bytes", 1024 * random.pick({16, 32, 48, 64, 128, 256, 512, 1024})),
        set("chip.vector_words", random.pick({16, 32, 32, 64})),
        set("chip.compute_engines", random.pick({1, 1, 1, 2})),
        set("bdc.startup_cycles", random.pick({0, 117, 117})),
        set("mcu.command_cycles", random.pick({0, 200, 1765})),
        set("gdma.setup_cycles", random.pick({0, 400, 400})),
        set("dram.channels", random.pick({1, 2, 2, 4})),
        set("dram.row_miss_nanoseconds", random.pick({0, 36, 36})),
        std::string("mcu.issue=") + (random.one_in(2) ? "lists" : "calls")};
}

Machine random_machine(RandomSource& random, std::string& text) {
    const bool has_groups = random.one_in(2);
    const std::vector<std::string> settings = random_settings(random);
    for (const std::string& setting : settings) text += " " + setting;
    text += has_groups ? " okk-next" : "";
    Machine machine = sim::load_machine(has_groups ? "okk-next" : "bm1684", settings);
    if (random.one_in(2)) machine.params = tests::with_random_rates(machine.params, random);
    return machine;
}

Graph random_graph(std::uint64_t seed, RandomSource& random) {
    using tosa::DType;
    switch (random.below(6)) {
        case 0: return tests::RandomByteLayers(seed, false).make();
        case 1: return tests::RandomLayers(seed, false, DType::kFp16).make();
        // Bounded over all cuts into steps.
        case 2:
        case 3: return tests::SmallGraph(random).make();
        default: return tests::RandomLayers(seed, false).make();
    }
}

struct Totals {
    long plans = 0, steps = 0, refused = 0, failures = 0;
    double nearest = 0, nearest_step = 0;  ///< bound / time, at most
};

/// Throws if the bound exceeds the time.
void hold(const std::string& what, const ReachableBound& limit, Picoseconds time, double& nearest) {
    const Picoseconds bound = limit.time();
    if (bound > time) {
        throw std::runtime_error(what + ": bound " + std::to_string(bound.microseconds()) +
                                 " us by " + limit.limit() + ", time " +
                                 std::to_string(time.microseconds()) + " us");
    }
    if (time.value == 0) return;
    nearest = std::max(nearest, static_cast<double>(bound.value) / static_cast<double>(time.value));
}

void check_plan(const Graph& graph, const Machine& machine, const GraphPlan& plan,
                const ReachableBound& bound, Totals& totals) {
    const auto report = sim::execution::time_graph(graph, plan, machine, {});
    if (report.fault) throw ProgramFault(*report.fault);
    hold("network", bound, report.end - report.start, totals.nearest);
    ++totals.plans;
    const auto& steps = plan.blocks[0][0].steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto own =
            sim::bound::reachable_bound(sim::bound::scope_of(graph.main(), steps[i]), machine);
        const double picoseconds = plan.costs[i].microseconds * 1e6;
        hold("step " + plan.costs[i].kernel + " " + plan.costs[i].output, own,
             {std::llround(picoseconds)}, totals.nearest_step);
        ++totals.steps;
    }
}

void duel(std::uint64_t seed, std::string& text, Totals& totals) {
    RandomSource random(seed * 6364136223846793005u + 3);
    const Machine machine = random_machine(random, text);
    const Graph graph = random_graph(seed, random);
    sim::graph::validate_graph(graph);
    using sim::planning::PlanEffort;
    std::vector<PlanEffort> efforts{{.fuse = false, .layers = false}};
    for (int level = 0; level <= sim::planning::kMostEffort; ++level) {
        efforts.push_back(sim::planning::effort_of(level));
    }
    const ReachableBound bound = sim::bound::reachable_bound(sim::bound::scope_of(graph), machine);
    for (const PlanEffort& effort : efforts) {
        check_plan(graph, machine, sim::planning::plan_for_machine(graph, machine, effort), bound,
                   totals);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const long cases = count > 1 ? std::atol(arguments[1]) : 40;
    const long first = count > 2 ? std::atol(arguments[2]) : 1;
    Totals totals;
    for (long seed = first; seed < first + cases; ++seed) {
        std::string text;
        try {
            duel(static_cast<std::uint64_t>(seed), text, totals);
        } catch (const ProgramFault& fault) {
            if (fault.record().code == FaultCode::kOutOfMemory) {
                ++totals.refused;
                continue;
            }
            ++totals.failures;
            std::cout << "seed " << seed << text << "\n  " << fault.what() << "\n";
        } catch (const std::exception& error) {
            ++totals.failures;
            std::cout << "seed " << seed << text << "\n  " << error.what() << "\n";
        }
    }
    std::cout << totals.plans << " plans and " << totals.steps << " steps, " << totals.refused
              << " networks too large for their machine, " << totals.failures
              << " below their bound; at most " << totals.nearest << " and " << totals.nearest_step
              << " of the time\n";
    return totals.failures == 0 && totals.plans > 0 ? 0 : 1;
}
