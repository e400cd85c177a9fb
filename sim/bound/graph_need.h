// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bound/engine_need.h"
#include "sim/graph/graph.h"
#include "sim/planning/plan.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// Operators of a block that are carried out together, and what of them is wanted in global memory
/// afterwards. What they take of others is there before.
struct BoundScope {
    const graph::Block& block;
    std::vector<std::uint32_t> operators;  ///< positions in Block::operators, ascending
    std::vector<graph::TensorIndex> wanted;
};

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
};

/// What several elements need.
struct NeedSum {
    ComputeNeed compute;
    TrafficNeed traffic;
    void add(const NeedSum& other) {
        compute.add(other.compute);
        traffic.add(other.traffic);
    }
    void add(const NeedElement& element) { add(NeedSum{element.compute, element.traffic}); }
    void remove(const NeedElement& element) {
        compute.remove(element.compute);
        traffic.remove(element.traffic);
    }
    std::int64_t commands() const { return compute.commands + traffic.commands(); }
};

/// What all plans have to do, in an order in which it can be done.
std::vector<NeedElement> needs_of(const BoundScope& scope, pricing::MachineHost& host);

}  // namespace okksim::sim::bound
