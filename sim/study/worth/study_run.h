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

/// The cost of one kind of operator in a run. A step of several operators counts for the first one.
struct KindUse {
    std::string kind;  ///< "CONV2D"; in parentheses if it is not an operator
    double us = 0;     ///< share of the time with the host's launch and sync
    std::uint64_t steps = 0;
    /// Commands by the group of isa::kFeatures that they need. Some commands need two groups.
    std::array<std::uint64_t, isa::kFeatures.size()> commands{};

    std::uint64_t of(isa::Feature group) const { return commands[static_cast<std::size_t>(group)]; }
};

/// A network on a machine, with a plan for that machine.
struct NetworkRun {
    std::string failure;         ///< reason of a failure; empty on success
    sweep::Figures figures;      ///< as in `okksim run`
    std::vector<KindUse> kinds;  ///< by name; the times add up to launch_us

    /// Returns a measured value by its name; NaN if there is none.
    double operator[](const std::string& figure) const;
    /// Returns the commands of all engines; below, the DRAM bytes read and written.
    double commands() const;
    double dram_bytes() const;
    std::uint64_t commands_of(isa::Feature group) const;
};

/// Plans a validated graph for the machine and times it without data.
NetworkRun run_network(const graph::Graph& graph, const Machine& machine,
                       const planning::PlanEffort& effort);

/// A network to run.
struct NetworkInput {
    std::string name;
    const graph::Graph* graph = nullptr;  ///< validated
};

/// A network on the study's machines, in the order of MachineStudy::machines.
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

/// Runs all networks on all machines in processes. The results do not depend on their number.
std::vector<NetworkWorth> run_study(const MachineStudy& study,
                                    const std::vector<NetworkInput>& networks,
                                    const RunOptions& options);

}  // namespace okksim::sim::worth
