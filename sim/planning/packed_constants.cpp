// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/packed_constants.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "isa/base/errors.h"
#include "kernels/layers/prepared_layers.h"
#include "kernels/prepared_constants.h"
#include "models/dram/dram_params.h"
#include "sim/planning/decide.h"
#include "sim/planning/graph_memory.h"
#include "sim/planning/memory_plan.h"
#include "sim/planning/run_step.h"

namespace okksim::sim::planning {
namespace {

using kernels::DeviceTensor;

/// Calls visit(block, its plan) for all blocks.
template <typename Visit>
void for_each_block(const graph::Graph& graph, const GraphPlan& plan, const Visit& visit) {
    for (std::size_t region = 0; region < plan.blocks.size(); ++region) {
        for (std::size_t i = 0; i < plan.blocks[region].size(); ++i) {
            visit(graph.regions[region].blocks[i], plan.blocks[region][i]);
        }
    }
}

/// The call of a step whose constants are packed, and its operands.
struct StepCall {
    std::vector<DeviceTensor> inputs, outputs;
    kernels::OperatorCall call;

    StepCall(const graph::Block& block, const BlockPlan& plan, const Step& step)
        : inputs(pick(plan.slots, step.inputs)), outputs(pick(plan.slots, step.outputs)) {
        const graph::Operator& op = block.operators[step.op];
        call = {.op = op.op,
                .attributes = &op.attributes.get(),
                .inputs = inputs,
                .outputs = outputs,
                .prepared = step.prepared};
    }
    StepCall(const StepCall&) = delete;
    StepCall& operator=(const StepCall&) = delete;
};

/// Returns the slots that a step reads from global memory only in packed form.
std::vector<Slot> packed_slots(const graph::Block& block, const BlockPlan& plan, const Step& step) {
    std::vector<Slot> slots;
    if (step.prepared == 0) return slots;
    if (step.kind == StepKind::kLayers) {
        const BoundLayers bound = bind_layers(block, step, plan.slots);
        const auto values =
            kernels::layers::values_only_prepared(bound.call(), layer_plan_of(step));
        for (const int value : values)
            slots.push_back(bound.slots[static_cast<std::size_t>(value)]);
        return slots;
    }
    const StepCall own(block, plan, step);
    for (const std::size_t input : kernels::inputs_only_prepared(own.call, step.decisions)) {
        slots.push_back(step.inputs[input]);
    }
    return slots;
}

/// The constants of a plan, by address.
class ConstantUses {
 public:
    ConstantUses(const graph::Graph& graph, const GraphPlan& plan) : plan_(plan) {
        for (std::size_t i = 0; i < plan.constants.size(); ++i) {
            by_address_[plan.constants[i].address] = i;
        }
        for_each_block(graph, plan, [&](const graph::Block& block, const BlockPlan& own) {
            for (const Step& step : own.steps) add(block, own, step);
            for (const Slot output : own.outputs) add(read_, own.slots[output]);
        });
    }
    /// True if steps read the constant, and all of them in packed form.
    bool is_only_packed(std::size_t constant) const {
        return packed_.count(constant) > 0 && read_.count(constant) == 0;
    }
    /// Number of constants that some step reads in packed form.
    std::uint64_t packed() const { return packed_.size(); }

 private:
    void add(const graph::Block& block, const BlockPlan& plan, const Step& step) {
        const std::vector<Slot> packed = packed_slots(block, plan, step);
        const auto add_all = [&](const std::vector<Slot>& slots) {
            for (const Slot slot : slots) {
                const bool is_packed = std::ranges::find(packed, slot) != packed.end();
                add(is_packed ? packed_ : read_, plan.slots[slot]);
            }
        };
        add_all(step.inputs);
        for (const StepFollower& follower : step.followers) add_all(follower.inputs);
        for (const StepLayer& layer : step.layers) add_all(layer.inputs);
        const graph::Operator& op = block.operators[step.op];
        const auto add_captures = [&](const tosa::SubGraph& sub_graph) {
            add_all({sub_graph.captures.begin(), sub_graph.captures.end()});
        };
        if (step.kind == StepKind::kCondIf) {
            const auto& attributes = op.attributes_as<tosa::CondIfAttributes>();
            add_captures(attributes.then_graph);
            add_captures(attributes.else_graph);
        } else if (step.kind == StepKind::kWhileLoop) {
            const auto& attributes = op.attributes_as<tosa::WhileLoopAttributes>();
            add_captures(attributes.cond_graph);
            add_captures(attributes.body_graph);
        }
    }
    void add(std::set<std::size_t>& uses, const DeviceTensor& value) {
        const auto after = by_address_.upper_bound(value.address);
        if (after == by_address_.begin()) return;
        const auto& [address, constant] = *std::prev(after);
        const std::uint64_t bytes = plan_.constants[constant].value.data.size();
        if (value.address - address < bytes) uses.insert(constant);
    }

    const GraphPlan& plan_;
    std::map<std::uint64_t, std::size_t> by_address_;
    std::set<std::size_t> packed_, read_;
};

/// Addresses of a plan's values after some ranges were removed and others have moved down.
class NewAddresses {
 public:
    /// Values that move keep their address modulo `period` bytes.
    NewAddresses(std::uint64_t end, std::uint64_t period) : end_(end), period_(period) {}

    /// Removes [begin, begin + bytes). Its contents move to `to`. Ranges come in ascending order.
    void remove(std::uint64_t begin, std::uint64_t bytes, std::uint64_t to) {
        keep_until(begin);
        ranges_[begin] = to - begin;
        next_ = begin + bytes;
        if (!free_) free_ = begin;
    }
    /// Ends the list of ranges. Returns the new end of the plan's memory.
    std::uint64_t finish() {
        keep_until(end_);
        return free_ ? *free_ : end_;
    }
    std::uint64_t operator()(std::uint64_t address) const {
        const auto after = ranges_.upper_bound(address);
        return after == ranges_.begin() ? address : address + std::prev(after)->second;
    }

 private:
    /// The range from the last removed one to `begin` moves down as far as its address modulo the
    /// period permits.
    void keep_until(std::uint64_t begin) {
        if (!free_ || begin == next_) return;
        const std::uint64_t down = (next_ - *free_) / period_ * period_;
        ranges_[next_] = std::uint64_t{0} - down;
        free_ = begin - down;
    }

    std::uint64_t end_, period_;
    std::map<std::uint64_t, std::uint64_t> ranges_;  ///< begin and what is added to addresses
    std::uint64_t next_ = 0;                         ///< end of the last removed range
    std::optional<std::uint64_t> free_;              ///< first new address that is not taken
};

/// Bytes after which addresses return to the same position in the same DRAM channel. A long period
/// would waste memory.
std::uint64_t address_period(const models::DramParams& dram) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 20;
    const std::uint64_t period = std::lcm(
        static_cast<std::uint64_t>(dram.interleave_bytes * dram.channels), kValueAlignment);
    return period <= kMost ? period : kValueAlignment;
}

void move_values(const NewAddresses& moved, GraphPlan& plan) {
    for (auto& region : plan.blocks) {
        for (BlockPlan& block : region) {
            for (DeviceTensor& slot : block.slots) {
                if (slot.address != 0) slot.address = moved(slot.address);
            }
            for (Step& step : block.steps) {
                if (step.prepared != 0) step.prepared = moved(step.prepared);
            }
        }
    }
    for (DeviceTensor& variable : plan.variables) variable.address = moved(variable.address);
    for (ConstantImage& constant : plan.constants) constant.address = moved(constant.address);
}

}  // namespace

void pack_constants(const graph::Graph& graph, const GraphPlan& plan, const WriteBytes& write) {
    const pricing::KnownMemory known = constants_of(plan);
    const kernels::ConstantMemory memory{
        [&known](std::uint64_t address, std::uint64_t bytes) {
            const auto found = known.find(address, bytes);
            OKKSIM_CHECK(found.has_value());
            return reinterpret_cast<const unsigned char*>(found->data());
        },
        write};
    for_each_block(graph, plan, [&](const graph::Block& block, const BlockPlan& own) {
        for (const Step& step : own.steps) {
            if (step.prepared == 0) continue;
            if (step.kind == StepKind::kLayers) {
                const BoundLayers bound = bind_layers(block, step, own.slots);
                kernels::layers::prepare_layers(bound.call(), layer_plan_of(step), memory);
            } else {
                kernels::prepare_constants(StepCall(block, own, step).call, step.decisions, memory);
            }
        }
    });
}

void place_constants_once(const graph::Graph& graph, const Machine& machine, GraphPlan& plan) {
    const ConstantUses uses(graph, plan);
    const MemoryRange memory = graph_memory(machine);
    std::map<std::uint64_t, ConstantImage*> removed;
    for (std::size_t i = 0; i < plan.constants.size(); ++i) {
        ConstantImage& constant = plan.constants[i];
        if (constant.value.data.empty() || !uses.is_only_packed(i)) continue;
        constant.is_read = false;
        plan.constant_bytes -= constant.value.data.size();
        removed[constant.address] = &constant;
    }
    NewAddresses moved(plan.memory.end(), address_period(*machine.params.dram));
    // Neither the chip nor the plan has these addresses.
    std::uint64_t outside = std::max(place_bytes(memory.start + memory.bytes), plan.memory.end());
    for (const auto& [address, constant] : removed) {
        const std::uint64_t bytes = place_bytes(constant->value.data.size());
        moved.remove(address, bytes, outside);
        outside += bytes;
    }
    const std::uint64_t end = moved.finish();
    move_values(moved, plan);
    plan.memory = MemoryPile(memory);
    plan.memory.take(end - memory.start);
    plan.memory.check();
}

ConstantFile constant_file(const graph::Graph& graph, const GraphPlan& plan) {
    ConstantFile file{plan.prepared_bytes, ConstantUses(graph, plan).packed()};
    for (const ConstantImage& constant : plan.constants) {
        if (constant.is_read) file.bytes += constant.value.data.size();
    }
    return file;
}

}  // namespace okksim::sim::planning
