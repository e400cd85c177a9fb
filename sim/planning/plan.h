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
    kLayers,         ///< operators whose maps stay in local memory (kernels/layers)
};

/// An operator that a step carries out on the tiles of its operator's result (operator_groups.h).
struct StepFollower {
    std::uint32_t op = 0;       ///< position in Block::operators
    std::vector<int> operands;  ///< GroupMember::operands
    std::vector<Slot> inputs;
    Slot output = 0;
};

/// An operator of a layer group, with those before it that it stands for (layer_fold.h).
struct StepLayer {
    std::uint32_t op = 0;  ///< position in Block::operators
    std::vector<Slot> inputs;
    Slot output = 0;
    std::vector<std::uint32_t> members = {};  ///< `op` is the last one, or the convolution
    bool is_function = false;                 ///< of bytes or sums: inputs are maps alone
    bool scales_sums = false;                 ///< a convolution with what scales its sums
    bool takes_whole_map = false;             ///< FoldedOperator's
};

struct Step {
    StepKind kind = StepKind::kKernel;
    std::uint32_t op = 0;  ///< position in Block::operators; of a reorder: the operator it is for
    std::vector<Slot> inputs = {};
    std::vector<Slot> outputs = {};
    /// Address of the operator's prepared constants (kernels/prepared_constants.h); 0: none.
    std::uint64_t prepared = 0;
    std::vector<StepFollower> followers = {};  ///< outputs[0] is the last one's
    kernels::DecisionList decisions = {};      ///< of the kernel's call
    /// Its commands do not depend on values of the run: they can be fetched from a list.
    bool listed = false;
    /// Of kLayers. `inputs` are what the group reads of memory, `outputs` what it leaves there.
    std::vector<StepLayer> layers = {};
};

/// A block ready to run: where every value lives, and the steps in order. Values of the enclosing
/// block (captures) have address 0 here and are bound when the block runs.
struct BlockPlan {
    std::vector<kernels::DeviceTensor> slots;
    std::vector<Step> steps;
    std::vector<Slot> inputs;
    std::vector<Slot> outputs;
    std::vector<Slot> captures;
    /// Slots that are other slots' bytes under another shape or strides; they have no step.
    std::map<Slot, Slot> views;
    /// Values between the operators of a step: they have no memory.
    std::set<Slot> unstored;
};

/// StepCost::kernel of a copy that the plan added.
inline constexpr const char* kReorder = "(reorder)";

/// What one step of a plan will ask of the machine.
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
    std::uint64_t parallel_sections = 0;  ///< stages in which both engines work: tiles in flight
    std::uint64_t bytes_moved = 0;        ///< payload of the data mover
    double microseconds = 0;              ///< that the step would take on its own, from idle
    std::int64_t local_bytes = 0;         ///< highest byte of local memory used, in any lane
    std::uint64_t argument_words = 0;     ///< that decisions take of the launch's arguments
    bool listed = false;                  ///< Step::listed
    std::string
        note;  ///< why nothing is known: control flow, or values that exist only at run time
};

/// A copy between values that control flow makes: of operands, results and states.
struct ValueCopy {
    kernels::DeviceTensor from, to;  ///< addresses do not matter
    kernels::DecisionList decisions;
};

/// Bytes to place in global memory before anything runs.
struct ConstantImage {
    std::uint64_t address = 0;
    graph::HostBytes value;
    bool is_read = false;  ///< by an operator, or as a result: otherwise nobody misses it
};

/// The decision of a layer group: a kernels::layers::LayerPlan.
inline constexpr const char* kLayersDecision = "layers";

/// Operators of a block, one after the other, that one step carries out, and what was decided about
/// it. Constants may lie between them.
struct LayerGroup {
    const graph::Block* block = nullptr;
    tosa::BlockReference place;            ///< of the block
    std::vector<std::uint32_t> operators;  ///< positions in Block::operators, ascending
    kernels::DecisionList decisions;
    bool is_native = false;  ///< for a machine that has commands for packed maps
    /// Values that the group takes channel first: of those that lie otherwise a step makes a copy.
    std::vector<graph::TensorIndex> ordered = {};
    double microseconds = 0;  ///< from idle, with those steps
};

/// A group that the planner has tried, one after the other.
struct TriedGroup {
    LayerGroup group;
    bool kept = false;  ///< the block is faster with it
};

struct PlanOptions {
    /// Element-wise operators run in the kernel of the operator whose result they take.
    bool fuse = true;
    /// First operators of groups (operator_groups.h) that run alone all the same.
    std::set<const graph::Operator*> alone = {};
    /// Blocks whose transpositions are strides where those who read them take any (value_views.h).
    std::set<const graph::Block*> strided = {};
    /// Blocks whose products of matrices share kernels with rows that are made of them
    /// (operator_groups.h).
    std::set<const graph::Block*> chained = {};
    std::vector<LayerGroup> layers = {};
    /// The machine whose commands row groups (row_groups.h) are for; without it there are none.
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
    std::uint64_t working_bytes = 0;  ///< values that share memory over their lifetimes
    MemoryPile memory;                ///< what all of it is taken from
    PlanOptions options;              ///< what it was made with
    std::vector<TriedGroup> tried;    ///< in order; options.layers are those that were kept
    std::vector<ValueCopy> copies;
    std::vector<StepCost> costs;  ///< of all blocks' steps, in order

    /// The decisions of a copy; InternalError when it was not planned.
    const kernels::DecisionList& copy_decisions(const kernels::DeviceTensor& from,
                                                const kernels::DeviceTensor& to) const;
    const BlockPlan& block(tosa::BlockReference reference) const {
        return blocks[reference.region][reference.block];
    }
};

/// The tensor of the block whose value a slot holds, as it is or as a copy in another order.
graph::TensorIndex tensor_of(const BlockPlan& plan, std::size_t tensors, Slot slot);

/// The tensors that the slots of a block hold.
std::vector<kernels::DeviceTensor> pick(std::span<const kernels::DeviceTensor> slots,
                                        std::span<const Slot> which);

/// Operator::origin of the step's operator and its followers, " + " between them.
std::string origin_of(const graph::Block& block, const Step& step);

/// The followers of a step as its kernel takes them; `slots` are those of the block.
std::vector<kernels::Follower> bind_followers(const graph::Block& block, const Step& step,
                                              std::span<const kernels::DeviceTensor> slots);

/// A layer group's call and what it refers to.
struct BoundLayers {
    std::vector<kernels::layers::LayerOperator> operators;
    std::vector<kernels::layers::LayerValue> values;
    std::vector<Slot> slots;  ///< of the values
    std::uint64_t prepared = 0;

    kernels::layers::LayerCall call() const { return {operators, values, prepared}; }
};
BoundLayers bind_layers(const graph::Block& block, const Step& step,
                        std::span<const kernels::DeviceTensor> slots);

}  // namespace okksim::sim::planning
