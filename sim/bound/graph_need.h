// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bound/engine_need.h"
#include "sim/bound/scope.h"
#include "sim/graph/graph.h"
#include "sim/planning/plan.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// The graph's main block. What other blocks do is not in it.
BoundScope scope_of(const graph::Graph& graph);
/// A step of a plan; no operators where it computes nothing.
BoundScope scope_of(const graph::Block& block, const planning::Step& step);

/// Something that every plan of a scope has to do: computing an operator, loading a value or
/// weights, storing a value.
struct NeedElement {
    ComputeNeed compute;
    TrafficNeed traffic;
    /// Elements without which it cannot be complete; not those that these in turn wait for.
    std::vector<std::size_t> before;
    /// Local memory holds it as a whole, and nothing else can share its commands: a plan that cuts
    /// it has a command more.
    bool can_be_whole = true;
    bool is_whole = false;          ///< no plan of the way cuts it
    std::int64_t instructions = 0;  ///< that firmware is charged for
    bool is_step = false;           ///< set-up included: nothing before it shares its kernel
    bool joins_step = false;        ///< may share one with others
    bool is_of_layers = false;      ///< of a layer group
};

/// What several elements need.
struct NeedSum {
    ComputeNeed compute;
    TrafficNeed traffic;
    void add(const NeedSum& other) {
        compute.add(other.compute);
        traffic.add(other.traffic);
        instructions += other.instructions;
        joining += other.joining;
    }
    void add(const NeedElement& element) { add(sum_of(element)); }
    void remove(const NeedElement& element) {
        compute.remove(element.compute);
        traffic.remove(element.traffic);
        instructions -= element.instructions;
        joining -= element.joins_step ? 1 : 0;
    }
    std::int64_t instructions = 0;
    std::int64_t joining = 0;  ///< elements that may share a step
    std::int64_t commands() const { return compute.commands + traffic.commands(); }

 private:
    static NeedSum sum_of(const NeedElement& element) {
        NeedSum sum;
        sum.compute = element.compute;
        sum.traffic = element.traffic;
        sum.instructions = element.instructions;
        sum.joining = element.joins_step ? 1 : 0;
        return sum;
    }
};

/// What plans have to do, in an order in which it can be done, for every way in which values that
/// are given or wanted row major can come to lanes: every plan goes one of the ways.
std::vector<std::vector<NeedElement>> ways_of(const BoundScope& scope, pricing::MachineHost& host);

}  // namespace okksim::sim::bound
