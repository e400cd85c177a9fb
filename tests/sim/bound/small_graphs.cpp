// SPDX-License-Identifier: Apache-2.0
// okksim_small_graphs [count] [first seed] [share] [--show]: small graphs, each planned in every
// way. Plans cover all cuts into layer groups and kernels, with kernels shared or not. Groups are
// tried with all numbers of image and row slices and all part sizes of the search. The fastest plan
// takes at most 1 / (1 - share) of the reachable bound (share: 0.15), and no plan takes less than
// the bound. --show prints the engines' commands in the fastest plans of graphs that exceed the
// limit.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isa/base/fault.h"
#include "isa/disassembler.h"
#include "sim/bound/reachable_bound.h"
#include "sim/execution/started_run.h"
#include "sim/execution/timed_graph.h"
#include "sim/graph/constant_operator.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/layer_groups.h"
#include "sim/planning/machine_plan.h"
#include "tests/support/random_source.h"
#include "tests/support/small_graph.h"

namespace {

using namespace okksim;
using models::Picoseconds;
using sim::Machine;
using sim::graph::Graph;
using sim::planning::ChosenLayers;
using sim::planning::GraphPlan;
using sim::planning::LayerGroup;
using sim::planning::PlanOptions;
using tests::RandomSource;
using tests::SmallGraph;

/// Prints the commands of the engines.
class CommandPrinter : public models::CommandObserver {
 public:
    explicit CommandPrinter(const isa::MachineShape& machine) : machine_(machine) {}
    void retired(const isa::Command& command, const models::CommandTimes& times) override {
        std::cout << "    " << times.queued.microseconds() << "  " << times.start.microseconds()
                  << " to " << times.end.microseconds() << "  "
                  << isa::disassemble(command, machine_).substr(0, 230) << "\n";
    }

 private:
    isa::MachineShape machine_;
};

/// All plans of a graph.
class AllPlans {
 public:
    AllPlans(const Graph& graph, const Machine& machine) : graph_(graph), machine_(machine) {
        const auto& operators = graph.main().operators;
        for (std::uint32_t i = 0; i < operators.size(); ++i) {
            if (!sim::graph::is_constant(operators[i])) chain_.push_back(i);
        }
    }

    /// Returns the minimum time.
    Picoseconds search() {
        for (const bool fuse : {true, false}) {
            const auto base = sim::planning::plan_for_machine(
                graph_, machine_, sim::planning::PlanEffort{.fuse = fuse, .layers = false});
            const sim::planning::OperatorTimes times(graph_, base);
            groups_.clear();
            cut(base, times, base.options, 0);
        }
        return best_;
    }
    std::size_t plans() const { return plans_; }
    /// Prints the commands of the fastest plan.
    void show() const {
        const GraphPlan plan = sim::planning::plan_for_machine(graph_, machine_, fastest_);
        CommandPrinter printer(machine_.params.shape());
        sim::execution::TimedRunOptions options;
        options.starting = [&](const sim::execution::StartedRun& run) {
            run.machine.add_observer(printer);
        };
        sim::execution::time_graph(graph_, plan, machine_, options);
        for (const auto& cost : plan.costs) {
            std::cout << "  " << cost.kernel << " " << cost.output << " " << cost.microseconds
                      << " us\n";
        }
    }

 private:
    /// The fastest slices of a run of operators, with its first input in the stored layout and as a
    /// copy.
    const std::vector<LayerGroup>& groups(const GraphPlan& base,
                                          const sim::planning::OperatorTimes& times,
                                          std::size_t begin, std::size_t end) {
        const auto [known, is_new] = groups_.try_emplace({begin, end});
        if (!is_new) return known->second;
        for (const bool takes_copy : {false, true}) {
            auto fastest = fastest_slices(base, times, begin, end, takes_copy);
            if (fastest) known->second.push_back(*std::move(fastest));
        }
        return known->second;
    }
    std::optional<LayerGroup> fastest_slices(const GraphPlan& base,
                                             const sim::planning::OperatorTimes& times,
                                             std::size_t begin, std::size_t end, bool takes_copy) {
        std::vector<ChosenLayers> choices;
        const auto& last = graph_.main().operators[chain_[end - 1]];
        const sim::graph::TensorShape& result = graph_.main().output(last, 0).shape;
        for (std::int32_t images = 1; images <= result[0]; ++images) {
            for (std::int32_t rows = 1; rows <= result[1]; ++rows) {
                choices.push_back({graph_.entry,
                                   {chain_.begin() + static_cast<long>(begin),
                                    chain_.begin() + static_cast<long>(end)},
                                   {images, rows},
                                   kernels::layers::LayerSearch::kThorough,
                                   takes_copy});
            }
        }
        std::optional<LayerGroup> fastest;
        for (auto& group :
             sim::planning::plan_layer_groups(graph_, base, machine_, times, choices)) {
            if (!group) continue;
            ++plans_;
            if (!fastest || group->microseconds < fastest->microseconds) fastest = std::move(group);
        }
        return fastest;
    }

    void cut(const GraphPlan& base, const sim::planning::OperatorTimes& times,
             const PlanOptions& options, std::size_t begin) {
        if (begin == chain_.size()) return consider(options);
        cut(base, times, options, begin + 1);  // a kernel
        for (std::size_t end = begin + 1; end <= chain_.size(); ++end) {
            for (const LayerGroup& own : groups(base, times, begin, end)) {
                PlanOptions with = options;
                with.layers.push_back(own);
                cut(base, times, with, end);
            }
        }
    }
    void consider(const PlanOptions& options) {
        const GraphPlan plan = sim::planning::plan_for_machine(graph_, machine_, options);
        const auto report = sim::execution::time_graph(graph_, plan, machine_, {});
        if (report.fault) throw ProgramFault(*report.fault);
        const Picoseconds time = report.end - report.start;
        ++plans_;
        if (best_.value != 0 && time >= best_) return;
        best_ = time;
        fastest_ = options;
    }

    const Graph& graph_;
    const Machine& machine_;
    std::vector<std::uint32_t> chain_;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<LayerGroup>> groups_;
    Picoseconds best_;
    PlanOptions fastest_;
    std::size_t plans_ = 0;
};

Machine machine_of(RandomSource& random, std::string& text) {
    const std::vector<std::string> settings{
        std::string("mcu.issue=") + (random.one_in(2) ? "lists" : "calls"),
        "chip.lanes=" + std::to_string(random.pick({16, 32, 64})),
        "chip.local_memory_bytes=" + std::to_string(1024 * random.pick({128, 256, 512}))};
    for (const std::string& setting : settings) text += " " + setting;
    return sim::load_machine("bm1684", settings);
}

}  // namespace

int main(int count, char** arguments) {
    const long cases = count > 1 ? std::atol(arguments[1]) : 20;
    const long first = count > 2 ? std::atol(arguments[2]) : 1;
    const bool shows = count > 4 && std::string(arguments[4]) == "--show";
    const double share = count > 3 ? std::atof(arguments[3]) : 0.15;
    std::vector<double> below;
    std::size_t plans = 0;
    long failures = 0;
    for (long seed = first; seed < first + cases; ++seed) {
        RandomSource random(static_cast<std::uint64_t>(seed) * 2862933555777941757u + 7);
        std::string text;
        const Machine machine = machine_of(random, text);
        SmallGraph small(random);
        const Graph graph = small.make();
        sim::graph::validate_graph(graph);
        AllPlans all(graph, machine);
        const Picoseconds best = all.search();
        const auto bound = sim::bound::reachable_bound(sim::bound::scope_of(graph), machine);
        plans += all.plans();
        below.push_back(1 -
                        static_cast<double>(bound.time().value) / static_cast<double>(best.value));
        if (below.back() >= 0 && below.back() <= share) continue;
        ++failures;
        std::cout << "seed " << seed << text << small.text() << ": best " << best.microseconds()
                  << " us, bound " << bound.time().microseconds() << " us by " << bound.limit()
                  << ", " << 100 * below.back() << " % below (issue " << bound.issue.microseconds()
                  << ", compute " << bound.compute.microseconds() << ", memory "
                  << bound.memory.microseconds() << ", dependences " << bound.path.microseconds()
                  << ")\n";
        if (shows) all.show();
    }
    std::sort(below.begin(), below.end());
    std::cout << cases << " graphs, " << plans << " plans; the bound lies " << 100 * below.front()
              << " to " << 100 * below.back() << " % below the best, "
              << 100 * below[below.size() / 2] << " % in the middle; " << failures << " beyond "
              << 100 * share << " %\n"
              << cases - failures << " of " << cases << " within " << 100 * share << " %\n";
    return failures == 0 ? 0 : 1;
}
