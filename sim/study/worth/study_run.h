// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/planning/machine_plan.h"
#include "sim/study/sweep/figures.h"
#include "sim/study/worth/machine_study.h"

namespace okksim::sim::worth {

/// What the steps of a kind of operator take in a run: a step of several operators counts for the
/// first of them.
struct KindUse {
    std::string kind;  ///< "CONV2D"; in parentheses what is no operator
    double us = 0;     ///< its share of the time with the host's launch and sync
    std::uint64_t steps = 0;
    /// Commands by group of isa::kFeatures that they need; some need two.
    std::array<std::uint64_t, isa::kFeatures.size()> commands{};

    std::uint64_t of(isa::Feature group) const { return commands[static_cast<std::size_t>(group)]; }
};

/// A network on a machine, planned for it.
struct NetworkRun {
    std::string failure;         ///< why there is none; empty: there is one
    sweep::Figures figures;      ///< those of `okksim run`
    std::vector<KindUse> kinds;  ///< by name; their times add up to launch_us

    /// A figure by its name; NaN where there is none.
    double operator[](const std::string& figure) const;
    /// Commands of all engines, bytes of DRAM in both directions.
    double commands() const;
    double dram_bytes() const;
    std::uint64_t commands_of(isa::Feature group) const;
};

/// Plans a validated graph for the machine and runs it for its times alone.
NetworkRun run_network(const graph::Graph& graph, const Machine& machine,
                       const planning::PlanEffort& effort);

/// What to run.
struct NetworkInput {
    std::string name;
    const graph::Graph* graph = nullptr;  ///< validated
};

/// A network on the study's machines, in their order.
struct NetworkWorth {
    std::string name;
    std::vector<NetworkRun> runs;

    const NetworkRun& run(const Point& point) const { return runs[point.machine]; }
};

struct RunOptions {
    planning::PlanEffort effort;
    int jobs = 1;
    std::function<void(std::size_t done, std::size_t all)> progress;
};

/// All networks on all machines, in processes; the same results by any number of them.
std::vector<NetworkWorth> run_study(const MachineStudy& study,
                                    const std::vector<NetworkInput>& networks,
                                    const RunOptions& options);

}  // namespace okksim::sim::worth
