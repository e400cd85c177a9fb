// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/captures.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

namespace {

constexpr std::string_view kControlFlowSection = "2.16";
// Limit on bindings (sub-graph and captured value) of a graph, as protection against hostile files.
constexpr std::uint64_t kMaxBindings = std::uint64_t{1} << 20;

/// Iterative depth-first search, as deep nesting in hostile files would overflow the stack.
class BlockSorter {
 public:
    explicit BlockSorter(const Graph& graph) : graph_(graph) {
        for (const Region& region : graph.regions) states_.emplace_back(region.blocks.size());
    }

    std::vector<BlockReference> sort() {
        for (std::uint32_t r = 0; r < graph_.regions.size(); ++r) {
            for (std::uint32_t b = 0; b < graph_.regions[r].blocks.size(); ++b) walk({r, b});
        }
        return std::move(order_);
    }

 private:
    enum class State : std::uint8_t { kNew, kOpen, kDone };
    struct Frame {
        BlockReference block;
        std::vector<BlockReference> children;
    };

    State& state(BlockReference b) { return states_[b.region][b.block]; }

    void open(BlockReference reference) {
        state(reference) = State::kOpen;
        Frame frame{reference, {}};
        for (const Operator& op : graph_.block(reference).operators) {
            for (const SubGraph* sub_graph : sub_graphs(op)) {
                frame.children.push_back(sub_graph->block);
            }
        }
        stack_.push_back(std::move(frame));
    }

    void walk(BlockReference root) {
        if (state(root) != State::kNew) return;
        open(root);
        while (!stack_.empty()) {
            if (stack_.back().children.empty()) {
                state(stack_.back().block) = State::kDone;
                order_.push_back(stack_.back().block);
                stack_.pop_back();
                continue;
            }
            const BlockReference child = stack_.back().children.back();
            stack_.back().children.pop_back();
            if (state(child) == State::kOpen) {
                throw_illegal_graph({&graph_.block(child), nullptr, "", ""},
                                    "a block does not contain itself through control flow",
                                    kControlFlowSection);
            }
            if (state(child) == State::kNew) open(child);
        }
    }

    const Graph& graph_;
    std::vector<std::vector<State>> states_;
    std::vector<Frame> stack_;
    std::vector<BlockReference> order_;
};

using Names = std::unordered_map<std::string_view, TensorIndex>;

class CaptureBinder {
 public:
    explicit CaptureBinder(Graph& graph) : graph_(graph) {}

    void bind() {
        const std::vector<BlockReference> order = blocks_inside_out(graph_);
        for (const BlockReference reference : order) bind_operators(block(reference));
        if (bindings_left_ == kMaxBindings && !has_captures(order)) return;
        check_enclosed(order);
        // From the outside inwards, so that the captures of the enclosing block are known.
        for (auto reference = order.rbegin(); reference != order.rend(); ++reference) {
            give_types(block(*reference));
        }
        for (const BlockReference reference : order) drop_constants(reference);
        for (const BlockReference reference : order) compact(block(reference));
    }

 private:
    Block& block(BlockReference reference) {
        return graph_.regions[reference.region].blocks[reference.block];
    }

    bool has_captures(const std::vector<BlockReference>& order) {
        return std::any_of(order.begin(), order.end(), [this](BlockReference reference) {
            return !block(reference).captures.empty();
        });
    }

    /// Finds a value in `outer` for every capture of its sub-graphs. A value that `outer` lacks
    /// becomes a capture of `outer`.
    void bind_operators(Block& outer) {
        Names names;
        for (Operator& op : outer.operators) {
            for (SubGraph* sub_graph : editable_sub_graphs(op)) {
                const Block& inner = block(sub_graph->block);
                if (inner.captures.empty()) continue;
                if (names.empty()) names = names_of(outer);
                spend(inner);
                for (const TensorIndex index : inner.captures) {
                    sub_graph->captures.push_back(
                        find_or_capture(outer, names, inner.tensors[index].name));
                }
            }
        }
    }

    static Names names_of(const Block& source) {
        Names names;
        for (TensorIndex i = 0; i < source.tensors.size(); ++i) {
            names.emplace(source.tensors[i].name, i);
        }
        return names;
    }

    void spend(const Block& inner) {
        if (inner.captures.size() > bindings_left_) {
            throw_illegal_graph({&inner, nullptr, "", std::to_string(kMaxBindings)},
                                "the graph binds more values of enclosing blocks than this "
                                "implementation takes",
                                kControlFlowSection, "pass the values as inputs of the operators");
        }
        bindings_left_ -= inner.captures.size();
    }

    static TensorIndex find_or_capture(Block& outer, Names& names, Name name) {
        const auto found = names.find(name);
        if (found != names.end()) return found->second;
        const auto index = static_cast<TensorIndex>(outer.tensors.size());
        Tensor capture;
        capture.name = name;
        capture.is_capture = true;
        outer.tensors.push_back(std::move(capture));
        outer.captures.push_back(index);
        names.emplace(name, index);
        return index;
    }

    /// Entry blocks and unreferenced blocks have no enclosing block.
    void check_enclosed(const std::vector<BlockReference>& order) {
        std::vector<std::vector<bool>> is_enclosed;
        for (const Region& region : graph_.regions) is_enclosed.emplace_back(region.blocks.size());
        for (const BlockReference reference : order) {
            for (const Operator& op : block(reference).operators) {
                for (const SubGraph* sub_graph : sub_graphs(op)) {
                    is_enclosed[sub_graph->block.region][sub_graph->block.block] = true;
                }
            }
        }
        for (const BlockReference reference : order) {
            const Block& candidate = block(reference);
            if (candidate.captures.empty() || is_enclosed[reference.region][reference.block]) {
                continue;
            }
            throw_illegal_graph(
                {&candidate, user_of(candidate, candidate.captures.front()),
                 "tensor " + candidate.tensors[candidate.captures.front()].name, ""},
                "a name in an operand list is a tensor of the block or of an enclosing block",
                "2.2");
        }
    }

    static const Operator* user_of(const Block& source, TensorIndex tensor) {
        for (const Operator& op : source.operators) {
            const auto uses = [&](const TensorList& list) {
                return std::find(list.begin(), list.end(), tensor) != list.end();
            };
            if (uses(op.inputs) || uses(op.outputs)) return &op;
        }
        return nullptr;
    }

    void give_types(const Block& outer) {
        for (const Operator& op : outer.operators) {
            for (const SubGraph* sub_graph : sub_graphs(op)) {
                Block& inner = block(sub_graph->block);
                for (std::size_t i = 0; i < sub_graph->captures.size(); ++i) {
                    Tensor& to = inner.tensors[inner.captures[i]];
                    copy_value(inner, outer.tensors[sub_graph->captures[i]], to);
                }
            }
        }
    }

    static void copy_value(const Block& inner, const Tensor& from, Tensor& to) {
        if (to.type == DType::kUnknown) {
            to.type = from.type;
            to.shape = from.shape;
            to.is_unranked = from.is_unranked;
            to.is_unsigned = from.is_unsigned;
            to.data = from.data;
            to.has_data = from.has_data;
            return;
        }
        if (to.type != from.type || to.shape != from.shape) {
            throw_illegal_graph({&inner, nullptr, "tensor " + to.name, shape_text(from.shape)},
                                "a value of the enclosing block has one type and shape wherever "
                                "the block is used",
                                kControlFlowSection);
        }
        // The capture is a constant only if every user of the block passes the same constant.
        if (!from.has_data || from.data.identity() != to.data.identity()) {
            to.data = {};
            to.has_data = false;
        }
    }

    void drop_constants(BlockReference reference) {
        for (Operator& op : block(reference).operators) {
            for (SubGraph* sub_graph : editable_sub_graphs(op)) {
                const Block& inner = block(sub_graph->block);
                std::vector<TensorIndex> kept;
                for (std::size_t i = 0; i < sub_graph->captures.size(); ++i) {
                    if (!inner.tensors[inner.captures[i]].has_data) {
                        kept.push_back(sub_graph->captures[i]);
                    }
                }
                sub_graph->captures = std::move(kept);
            }
        }
    }

    static void compact(Block& inner) {
        std::vector<TensorIndex> kept;
        for (const TensorIndex index : inner.captures) {
            inner.tensors[index].is_capture = !inner.tensors[index].has_data;
            if (inner.tensors[index].is_capture) kept.push_back(index);
        }
        inner.captures = std::move(kept);
    }

    Graph& graph_;
    std::uint64_t bindings_left_ = kMaxBindings;
};

}  // namespace

std::vector<SubGraph*> editable_sub_graphs(Operator& op) {
    if (op.attributes_if<CondIfAttributes>() != nullptr) {
        auto& branches = std::get<CondIfAttributes>(op.attributes.edit());
        return {&branches.then_graph, &branches.else_graph};
    }
    if (op.attributes_if<WhileLoopAttributes>() != nullptr) {
        auto& loop = std::get<WhileLoopAttributes>(op.attributes.edit());
        return {&loop.cond_graph, &loop.body_graph};
    }
    return {};
}

std::vector<const SubGraph*> sub_graphs(const Operator& op) {
    if (const auto* cond_if = op.attributes_if<CondIfAttributes>()) {
        return {&cond_if->then_graph, &cond_if->else_graph};
    }
    if (const auto* loop = op.attributes_if<WhileLoopAttributes>()) {
        return {&loop->cond_graph, &loop->body_graph};
    }
    return {};
}

std::vector<BlockReference> blocks_inside_out(const Graph& graph) {
    return BlockSorter(graph).sort();
}

void bind_captures(Graph& graph) { CaptureBinder(graph).bind(); }

}  // namespace okksim::sim::graph
