// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/merged_dimensions.h"

#include <algorithm>
#include <utility>

#include "sim/graph/block_builder.h"
#include "sim/graph/merged_operators.h"

namespace okksim::sim::graph {

namespace {

constexpr std::size_t kMost = 6;  // MAX_RANK of level 8K

/// Merges the dimensions of the operators of one block.
class Merger {
 public:
    Merger(Graph& graph, Block& block) : block_(block), builder_(graph, block) {}

    void run() {
        const std::size_t count = block_.operators.size();
        for (std::size_t i = 0; i < count; ++i) {
            Operator& op = block_.operators[i];
            if (has_large(op)) replace(op);
        }
        join_reshapes();
        merge_ends(block_.inputs, true);
        merge_ends(block_.outputs, false);
    }

 private:
    bool is_large(TensorIndex index) const { return shape(index).size() > kMost; }
    const Shape& shape(TensorIndex index) const { return block_.tensors[index].shape.get(); }

    bool has_large(const Operator& op) const {
        const auto large = [&](TensorIndex index) { return is_large(index); };
        return std::ranges::any_of(op.inputs, large) || std::ranges::any_of(op.outputs, large);
    }

    TensorIndex reshaped(TensorIndex index, const Shape& to, std::string_view role) {
        const Tensor from = block_.tensors[index];
        if (from.has_data) {
            const TensorIndex copy = builder_.temporary(from.type, to, role);
            block_.tensors[copy].data = from.data;
            block_.tensors[copy].has_data = true;
            builder_.add(OpCode::kConst, NoAttributes{}, {}, {copy});
            return copy;
        }
        const TensorIndex dimensions = builder_.shape_value(to, std::string(role) + "_shape");
        return builder_.add(OpCode::kReshape, NoAttributes{}, {index, dimensions}, from.type, to,
                            role);
    }

    void replace(Operator& op) {
        const auto plan = merged_operator(block_, op);
        if (!plan || plan->inputs.size() > kMost) return;
        const TensorIndex result = op.outputs[0];
        const std::size_t rank = shape(op.inputs[0]).size();
        builder_.begin_operator(
            {op.index, block_.tensors[result].name, op.location, op.line, op.column});
        std::vector<TensorIndex> inputs = op.inputs;
        for (TensorIndex& input : inputs) {
            // Other operands, such as tables and zero points, have no dimensions of the result.
            if (shape(input).size() != rank || is_list(input)) continue;
            input = reshaped(input, merged(shape(input), plan->inputs), "merged");
        }
        for (std::size_t i = 0; i < plan->lists.size(); ++i) {
            inputs[i + 1] = builder_.shape_value(plan->lists[i], "merged_list");
        }
        const Shape whole = shape(result);
        const TensorIndex small = builder_.temporary(block_.tensors[result].type,
                                                     merged(whole, plan->results), "merged_result");
        op.inputs = inputs;
        op.outputs = std::vector<TensorIndex>{small};
        op.attributes = plan->attributes;
        const TensorIndex dimensions = builder_.shape_value(whole, "whole_shape");
        builder_.add(OpCode::kReshape, NoAttributes{}, {small, dimensions}, {result});
    }

    bool is_list(TensorIndex index) const { return block_.tensors[index].type == DType::kShape; }

    /// A RESHAPE of a RESHAPE to a large shape needs only the last shape.
    void join_reshapes() {
        std::vector<const Operator*> producer(block_.tensors.size(), nullptr);
        for (const Operator& op : block_.operators) {
            if (op.op == OpCode::kReshape) producer[op.outputs[0]] = &op;
        }
        for (Operator& op : block_.operators) {
            if (op.op != OpCode::kReshape) continue;
            while (is_large(op.inputs[0]) && producer[op.inputs[0]] != nullptr) {
                op.inputs =
                    std::vector<TensorIndex>{producer[op.inputs[0]]->inputs[0], op.inputs[1]};
            }
        }
    }

    /// True if the value is only reshaped, or comes from a RESHAPE.
    bool has_any_shape(TensorIndex index, bool is_input) const {
        return std::ranges::all_of(block_.operators, [&](const Operator& op) {
            const auto& list = is_input ? op.inputs : TensorList(op.outputs);
            return op.op == OpCode::kReshape || std::ranges::find(list, index) == list.end();
        });
    }

    void merge_ends(const std::vector<TensorIndex>& ends, bool is_input) {
        for (const TensorIndex index : ends) {
            if (!is_large(index) || !has_any_shape(index, is_input)) continue;
            Tensor form = block_.tensors[index];
            form.is_block_input = is_input;
            const Shape small = merged_shape(shape(index));
            builder_.graph().file_forms.push_back({std::move(form), is_input});
            block_.tensors[index].shape = TensorShape(SharedValue<Shape>(small));
            for (Operator& op : block_.operators) {
                if (is_input || op.outputs.empty() || op.outputs[0] != index) continue;
                const TensorIndex dimensions = builder_.shape_value(small, "merged_shape");
                op.inputs = std::vector<TensorIndex>{op.inputs[0], dimensions};
                break;
            }
        }
    }

    Block& block_;
    BlockBuilder builder_;
};

}  // namespace

Shape merged_shape(const Shape& shape) {
    if (shape.size() <= kMost) return shape;
    Groups groups(kMost, 1);
    groups[kMost - 2] = shape.size() - kMost + 1;
    return merged(shape, groups);
}

bool merges_to(const Shape& file, const Shape& shape) {
    return file.size() > kMost && merged_shape(file) == shape;
}

void merge_dimensions(Graph& graph) {
    Block& block = graph.regions[graph.entry.region].blocks[graph.entry.block];
    const bool has_large = std::ranges::any_of(
        block.tensors, [](const Tensor& tensor) { return tensor.shape.size() > kMost; });
    if (has_large) Merger(graph, block).run();
}

}  // namespace okksim::sim::graph
