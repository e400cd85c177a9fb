// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "isa/command_counts.h"
#include "isa/types.h"
#include "kernels/call/tensor.h"
#include "kernels/layers/layer_call.h"
#include "kernels/planning/decisions.h"
#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"
#include "sim/planning/memory_pile.h"

namespace okksim::sim::planning {

/// Position in BlockPlan::slots. The first slots are the block's tensors in order, followed by
/// copies in another storage order.
using Slot = std::uint32_t;

/// The kind of work of a step.
enum class StepKind : std::uint8_t {
    kKernel,         ///< an operator kernel
    kReorder,        ///< copies a value into another storage order (kernel of IDENTITY)
    kCondIf,         ///< runs one of two blocks
    kWhileLoop,      ///< runs a block while another returns true
    kVariableRead,   ///< copies a state into a value
    kVariableWrite,  ///< copies a value into a state
    kLayers,         ///< operators that keep feature maps in local memory (kernels/layers)
};

/// An operator that runs on the tiles of the step operator's result (operator_groups.h).
struct StepFollower {
    std::uint32_t op = 0;       ///< position in Block::operators
    std::vector<int> operands;  ///< GroupMember::operands
    std::vector<Slot> inputs;
    Slot output = 0;
};

/// An operator of a layer group, and the earlier ones that are folded into it (layer_fold.h).
struct StepLayer {
    std::uint32_t op = 0;  ///< position in Block::operators
    std::vector<Slot> inputs;
    Slot output = 0;
    std::vector<std::uint32_t> members = {};  ///< `op` is the last one, or the convolution
    bool is_function = false;                 ///< on bytes or sums: all inputs are feature maps
    bool scales_sums = false;                 ///< a convolution that scales its sums
    bool takes_whole_map = false;             ///< FoldedOperator::takes_whole_map
};

struct Step {
    StepKind kind = StepKind::kKernel;
    std::uint32_t op = 0;  ///< position in Block::operators; of a reorder: its operator
    std::vector<Slot> inputs = {};
    std::vector<Slot> outputs = {};
    /// Address of the operator's prepared constants (kernels/prepared_constants.h); 0 if there are
    /// none.
    std::uint64_t prepared = 0;
    std::vector<StepFollower> followers = {};  ///< outputs[0] is the output of the last one
    kernels::DecisionList decisions = {};      ///< of the kernel's call
    /// The commands do not depend on values of the run, so they can come from a list.
    bool listed = false;
    /// For kLayers. `inputs` are read from global memory, and `outputs` are stored there.
    std::vector<StepLayer> layers = {};
};

/// A block ready to run: the address of every value, and the steps in order. Captures, which are
/// values of the enclosing block, have address 0 here and are bound when the block runs.
struct BlockPlan {
    std::vector<kernels::DeviceTensor> slots;
    std::vector<Step> steps;
    std::vector<Slot> inputs;
    std::vector<Slot> outputs;
    std::vector<Slot> captures;
    /// Slots that are views of other slots with another shape or strides. They have no step.
    std::map<Slot, Slot> views;
    /// Values between the operators of a step, which need no memory.
    std::set<Slot> unstored;
};

/// StepCost::kernel of a copy that the planner added.
inline constexpr const char* kReorder = "(reorder)";

/// The cost of one step of a plan.
struct StepCost {
    std::string block;
    tosa::BlockReference place;       ///< of the block
    std::uint32_t op = 0;             ///< position in Block::operators
    std::uint32_t op_index = 0;       ///< position in the file's operator list
    std::string kernel;               ///< operator name, or kReorder
    std::string output;               ///< name of the first output
    std::string origin;               ///< origin_of() the step
    std::vector<std::int64_t> shape;  ///< of the first output
    isa::CommandCounts commands;
    std::uint64_t parallel_sections = 0;  ///< tiles in flight: sections in which both engines work
    std::uint64_t bytes_moved = 0;        ///< payload of the GDMA
    double microseconds = 0;              ///< of the step alone, from idle
    std::int64_t local_bytes = 0;         ///< end of the used local memory, in any lane
    std::uint64_t argument_words = 0;     ///< words of the launch's arguments that encode decisions
    bool listed = false;                  ///< Step::listed
    std::string note;  ///< reason why the cost is unknown: control flow, or run-time values
};

/// A copy of an operand, result or state by control flow.
struct ValueCopy {
    kernels::DeviceTensor from, to;  ///< addresses do not matter
    kernels::DecisionList decisions;
};

/// Bytes that are copied to global memory before anything runs.
struct ConstantImage {
    std::uint64_t address = 0;
    graph::HostBytes value;
    bool is_read = false;  ///< by an operator, or as a result
};

/// Name of a layer group's decision, a kernels::layers::LayerPlan.
inline constexpr const char* kLayersDecision = "layers";

/// Consecutive operators of a block that run as one step, and the decision about it. Constants may
/// be between them.
struct LayerGroup {
    const graph::Block* block = nullptr;
    tosa::BlockReference place;            ///< of the block
    std::vector<std::uint32_t> operators;  ///< positions in Block::operators, ascending
    kernels::DecisionList decisions;
    bool is_native = false;  ///< for a machine with commands on packed feature maps
    /// Values that the group reads channel first. A step makes a copy of those stored in another
    /// order.
    std::vector<graph::TensorIndex> ordered = {};
    double microseconds = 0;  ///< from idle, including those copies
};

/// A layer group that the planner has tried.
struct TriedGroup {
    LayerGroup group;
    bool kept = false;  ///< the block is faster with it
};

struct PlanOptions {
    /// Element-wise operators run in the kernel of the operator whose result they read.
    bool fuse = true;
    /// First operators of groups (operator_groups.h) that run alone.
    std::set<const graph::Operator*> alone = {};
    /// Blocks in which transpositions become strides if all readers accept any strides
    /// (value_views.h).
    std::set<const graph::Block*> strided = {};
    /// Blocks in which products of matrices share kernels with operators on their rows
    /// (operator_groups.h).
    std::set<const graph::Block*> chained = {};
    std::vector<LayerGroup> layers = {};
    /// The machine for row groups (row_groups.h). Without it there are none.
    std::optional<isa::MachineShape> machine = std::nullopt;
};

/// A whole graph ready to run on a device.
struct GraphPlan {
    std::vector<std::vector<BlockPlan>> blocks;  ///< [region][block]
    std::vector<kernels::DeviceTensor> variables;
    std::vector<ConstantImage> constants;
    std::uint64_t constant_bytes = 0;
    std::uint64_t prepared_bytes = 0;  ///< constants in the form that kernels compute with
    std::uint64_t variable_bytes = 0;
    std::uint64_t working_bytes = 0;  ///< values; those with disjoint lifetimes share memory
    MemoryPile memory;                ///< holds all of the above
    PlanOptions options;              ///< options that the plan was made with
    std::vector<TriedGroup> tried;    ///< in order; options.layers are those that were kept
    std::vector<ValueCopy> copies;
    std::vector<StepCost> costs;  ///< of the steps of all blocks, in order

    /// Returns the decisions of a copy. Throws InternalError if it was not planned.
    const kernels::DecisionList& copy_decisions(const kernels::DeviceTensor& from,
                                                const kernels::DeviceTensor& to) const;
    const BlockPlan& block(tosa::BlockReference reference) const {
        return blocks[reference.region][reference.block];
    }
};

/// Returns the tensor of the block that a slot holds, as it is or as a reordered copy.
graph::TensorIndex tensor_of(const BlockPlan& plan, std::size_t tensors, Slot slot);

/// Returns the tensors in some slots of a block.
std::vector<kernels::DeviceTensor> pick(std::span<const kernels::DeviceTensor> slots,
                                        std::span<const Slot> which);

/// Returns Operator::origin of the step's operator and its followers, joined by " + ".
std::string origin_of(const graph::Block& block, const Step& step);

/// Returns the followers of a step in the form that its kernel takes. `slots` are those of the
/// block.
std::vector<kernels::Follower> bind_followers(const graph::Block& block, const Step& step,
                                              std::span<const kernels::DeviceTensor> slots);

/// A layer group's call, and the objects to which it refers.
struct BoundLayers {
    std::vector<kernels::layers::LayerOperator> operators;
    std::vector<kernels::layers::LayerValue> values;
    std::vector<Slot> slots;  ///< by value
    std::uint64_t prepared = 0;

    kernels::layers::LayerCall call() const { return {operators, values, prepared}; }
};
BoundLayers bind_layers(const graph::Block& block, const Step& step,
                        std::span<const kernels::DeviceTensor> slots);

}  // namespace okksim::sim::planning
