// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/tensor.h"
#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::execution {

/// Position in BlockPlan::slots. The first slots are the block's tensors in their order; copies in
/// another storage order follow.
using Slot = std::uint32_t;

/// What one step of a block does.
enum class StepKind : std::uint8_t {
    kKernel,         ///< an operator kernel
    kReorder,        ///< copies a value into another storage order (kernel of IDENTITY)
    kCondIf,         ///< runs one of two blocks
    kWhileLoop,      ///< runs a block while another says so
    kVariableRead,   ///< copies a state into a value
    kVariableWrite,  ///< copies a value into a state
};

struct Step {
    StepKind kind = StepKind::kKernel;
    std::uint32_t op = 0;  ///< position in Block::operators; of a reorder: the operator it is for
    std::vector<Slot> inputs;
    std::vector<Slot> outputs;
    /// Address of the operator's prepared constants (kernels/prepared_constants.h); 0: none.
    std::uint64_t prepared = 0;
};

/// A block ready to run: where every value lives, and the steps in order. Values of the enclosing
/// block (captures) have address 0 here and are bound when the block runs.
struct BlockPlan {
    std::vector<kernels::DeviceTensor> slots;
    std::vector<Step> steps;
    std::vector<Slot> inputs;
    std::vector<Slot> outputs;
    std::vector<Slot> captures;
    /// Slots that are other slots' bytes under another shape; they have no step.
    std::map<Slot, Slot> views;
};

/// Bytes to place in global memory before anything runs.
struct ConstantImage {
    std::uint64_t address = 0;
    graph::HostTensor value;
};

/// A whole graph ready to run on a device.
struct GraphPlan {
    std::vector<std::vector<BlockPlan>> blocks;  ///< [region][block]
    std::vector<kernels::DeviceTensor> variables;
    std::vector<ConstantImage> constants;
    std::uint64_t constant_bytes = 0;
    std::uint64_t prepared_bytes = 0;  ///< constants in the form that kernels compute with
    std::uint64_t variable_bytes = 0;
    std::uint64_t working_bytes = 0;  ///< values that share memory over their lifetimes
    const BlockPlan& block(tosa::BlockReference reference) const {
        return blocks[reference.region][reference.block];
    }
};

/// Range of global memory that a plan may use.
struct MemoryRange {
    std::uint64_t start = 0;
    std::uint64_t bytes = 0;
};

/// Plans a validated graph: storage order of every value (feature maps of convolutions and pools
/// stay channel first), copies between orders, addresses by lifetime. ProgramFault kOutOfMemory
/// when the graph needs more than `memory`, naming what is needed. Pure: depends on the arguments
/// alone.
GraphPlan plan_graph(const graph::Graph& graph, const MemoryRange& memory);

}  // namespace okksim::sim::execution
