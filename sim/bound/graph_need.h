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

/// Returns the scope of the graph's main block. Other blocks are not part of the bound.
BoundScope scope_of(const graph::Graph& graph);
/// Returns the scope of a step of a plan. It has no operators if the step computes nothing.
BoundScope scope_of(const graph::Block& block, const planning::Step& step);

/// Work that every plan of a scope has to do: compute an operator, load a value or weights, or
/// store a value.
struct NeedElement {
    ComputeNeed compute;
    TrafficNeed traffic;
    /// Direct predecessors: elements that must complete first. Indirect ones are not listed.
    std::vector<std::size_t> before;
    /// True if local memory holds the element as a whole and no other element shares its commands.
    /// A plan that cuts it then needs at least one more command.
    bool can_be_whole = true;
    bool is_whole = false;          ///< no plan of this variant cuts it
    std::int64_t instructions = 0;  ///< instructions that firmware is charged
    bool is_step = false;           ///< a separate step, set-up included
    bool joins_step = false;        ///< may share a step with others
    bool is_of_layers = false;      ///< part of a layer group
};

/// The sum of several elements.
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
    std::int64_t joining = 0;  ///< number of elements that may share a step
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

/// Returns the elements in an executable order, once for each combination of choices. The choices
/// are how row-major inputs and outputs are reordered, and in which order element-wise operators
/// work. Every plan follows one of the combinations.
std::vector<std::vector<NeedElement>> ways_of(const BoundScope& scope, pricing::MachineHost& host);

}  // namespace okksim::sim::bound
