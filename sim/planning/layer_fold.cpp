// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/layer_fold.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "sim/graph/element.h"

namespace okksim::sim::planning {
namespace {

using graph::TensorIndex;
using tosa::DType;
using tosa::OpCode;

class Folding {
 public:
    Folding(const graph::Block& block, const ValueUses& uses, bool native)
        : block_(block), uses_(uses), native_(native) {}

    std::vector<FoldedOperator> run(std::span<const std::uint32_t> operators) {
        for (const std::uint32_t index : operators) add(index);
        // Operators that no function includes stay separate layers.
        for (const auto& [value, open] : open_) {
            for (const std::uint32_t member : open.members) add_as_it_is(member);
        }
        return std::move(layers_);
    }

 private:
    DType type_of(TensorIndex value) const { return block_.tensors[value].type; }
    bool is_read_here_alone(TensorIndex value, std::uint32_t reader) const {
        const auto& readers = uses_.readers(value);
        return !uses_.leaves(value) &&
               std::all_of(readers.begin(), readers.end(),
                           [reader](std::uint32_t other) { return other == reader; });
    }

    void add(std::uint32_t index) {
        const graph::Operator& op = block_.operators[index];
        if (op.inputs.empty() || op.outputs.size() != 1) return add_as_it_is(index);
        const DType from = type_of(op.inputs[0]), to = type_of(op.outputs[0]);
        const bool is_rescale = op.op == OpCode::kRescale;
        if (is_rescale && from == DType::kI8 && to == DType::kI32) {
            open_[op.outputs[0]] = {{index}, {op.inputs[0]}, op.outputs[0], true};
        } else if (joins_scaled(op) && to == DType::kI32 && add_pair(index, op)) {
            return;
        } else if (native_ && op.op == OpCode::kMul && from == DType::kI8 && to == DType::kI32 &&
                   constant_of(block_, op, 2) == 0) {
            open_[op.outputs[0]] = {{index}, {op.inputs[0], op.inputs[1]}, op.outputs[0], true};
        } else if (is_rescale && from == DType::kI32 && to == DType::kI8) {
            close(index, op);
        } else if (op.op == OpCode::kConv2d && take_whole_map(index, op)) {
            return;
        } else if (from == DType::kI8 && to == DType::kI8 &&
                   (is_rescale || op.op == OpCode::kTable || op.op == OpCode::kClamp)) {
            append(index, op);
        } else {
            add_as_it_is(index);
        }
    }

    void add_as_it_is(std::uint32_t index) {
        const graph::Operator& op = block_.operators[index];
        layers_.push_back({{index},
                           {op.inputs.begin(), op.inputs.end()},
                           op.outputs.empty() ? TensorIndex{} : op.outputs[0],
                           false});
    }

    /// Folds a RESHAPE of a feature map to one pixel into the convolution that is its only reader.
    /// The convolution then has a window as large as the feature map.
    bool take_whole_map(std::uint32_t index, const graph::Operator& op) {
        const auto before = std::find_if(layers_.begin(), layers_.end(), [&](const auto& layer) {
            return layer.output == op.inputs[0] && layer.members.size() == 1 &&
                   block_.operators[layer.members[0]].op == OpCode::kReshape;
        });
        if (before == layers_.end() || !is_read_here_alone(op.inputs[0], index)) return false;
        const TensorIndex map = before->inputs[0];
        const auto& from = block_.tensors[map].shape.get();
        const auto& pixel = block_.tensors[op.inputs[0]].shape.get();
        const auto& weights = block_.input(op, 1).shape.get();
        const auto& pad = op.attributes_as<tosa::Conv2dAttributes>().pad;
        constexpr std::size_t kRank = 4;
        const bool fits = from.size() == kRank && pixel.size() == kRank && from[0] == pixel[0] &&
                          pixel[1] == 1 && pixel[2] == 1 && weights[1] == 1 && weights[2] == 1 &&
                          std::all_of(pad.begin(), pad.end(), [](int side) { return side == 0; });
        // Sums of this many products of bytes are not exact in words.
        if (!fits || (type_of(map) == DType::kI8 && !native_)) return false;
        before->members.push_back(index);
        before->inputs.assign(op.inputs.begin(), op.inputs.end());
        before->inputs[0] = map;
        before->output = op.outputs[0];
        before->takes_whole_map = true;
        return true;
    }

    /// True for a sum and, with commands on packed feature maps, a product.
    bool joins_scaled(const graph::Operator& op) const {
        return op.op == OpCode::kAdd ||
               (native_ && op.op == OpCode::kMul && constant_of(block_, op, 2) == 0);
    }

    /// Adds a sum or a product of two scaled bytes.
    bool add_pair(std::uint32_t index, const graph::Operator& op) {
        FoldedOperator sum{{}, {}, op.outputs[0], true};
        constexpr std::size_t kTwo = 2;
        const std::span operands = std::span(op.inputs.begin(), op.inputs.end()).first(kTwo);
        for (const TensorIndex input : operands) {
            const auto open = open_.find(input);
            if (open == open_.end() || open->second.inputs.size() != 1 ||
                !is_read_here_alone(input, index)) {
                return false;
            }
            sum.inputs.push_back(open->second.inputs[0]);
            sum.members.insert(sum.members.end(), open->second.members.begin(),
                               open->second.members.end());
        }
        for (const TensorIndex input : operands) open_.erase(input);
        sum.members.push_back(index);
        open_[op.outputs[0]] = std::move(sum);
        return true;
    }

    /// Closes a function that ends in bytes: of two values, or of a convolution's sums.
    void close(std::uint32_t index, const graph::Operator& op) {
        FoldedOperator function{{}, {op.inputs[0]}, op.outputs[0], true};
        const auto open = open_.find(op.inputs[0]);
        constexpr std::size_t kTwo = 2;
        if (open != open_.end() && open->second.inputs.size() == kTwo &&
            is_read_here_alone(op.inputs[0], index)) {
            function = open->second;
            function.output = op.outputs[0];
            open_.erase(open);
        }
        if (function.members.empty() && native_ && scale_sums(index, op)) return;
        function.members.push_back(index);
        layers_.push_back(std::move(function));
    }

    /// Folds a RESCALE of a convolution's sums into the convolution. It must be the only reader.
    bool scale_sums(std::uint32_t index, const graph::Operator& op) {
        const auto before = std::find_if(layers_.begin(), layers_.end(), [&](const auto& layer) {
            return layer.output == op.inputs[0] && !layer.scales_sums && !layer.is_function &&
                   is_layer_convolution(block_.operators[layer.members.back()].op);
        });
        if (before == layers_.end() || !is_read_here_alone(op.inputs[0], index)) return false;
        before->members.push_back(index);
        before->output = op.outputs[0];
        before->scales_sums = true;
        return true;
    }

    /// Appends a function of one byte. It joins an earlier function of one byte; a CLAMP joins any
    /// function.
    void append(std::uint32_t index, const graph::Operator& op) {
        const auto before = std::find_if(layers_.begin(), layers_.end(), [&](const auto& layer) {
            return (layer.is_function || layer.scales_sums) && layer.output == op.inputs[0];
        });
        const auto joins = [&](const FoldedOperator& layer) {
            const bool of_one_byte = !layer.scales_sums && layer.inputs.size() == 1 &&
                                     type_of(layer.inputs[0]) == DType::kI8;
            return (of_one_byte || op.op == OpCode::kClamp) &&
                   is_read_here_alone(op.inputs[0], index);
        };
        if (before == layers_.end() || !joins(*before)) {
            layers_.push_back({{index}, {op.inputs[0]}, op.outputs[0], true});
            return;
        }
        before->members.push_back(index);
        before->output = op.outputs[0];
    }

    const graph::Block& block_;
    const ValueUses& uses_;
    bool native_;
    std::vector<FoldedOperator> layers_;
    /// Possible operands of a sum or product, and products, by value.
    std::map<TensorIndex, FoldedOperator> open_;
};

}  // namespace

std::vector<FoldedOperator> fold_operators(const graph::Block& block, const ValueUses& uses,
                                           std::span<const std::uint32_t> operators, bool native) {
    return Folding(block, uses, native).run(operators);
}

// ---- Offsets ----

bool is_layer_convolution(OpCode op) {
    return op == OpCode::kConv2d || op == OpCode::kDepthwiseConv2d;
}

std::optional<std::int64_t> constant_of(const graph::Block& block, const graph::Operator& op,
                                        std::size_t operand) {
    const graph::Tensor& tensor = block.input(op, operand);
    if (!tensor.has_data) return std::nullopt;
    return graph::integer_element(tensor.data, tensor.type, 0);
}

namespace {

/// Sets of values that share an offset.
class Kinds {
 public:
    explicit Kinds(std::size_t count) : parents_(count) {
        std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    }
    std::size_t of(std::size_t value) {
        while (parents_[value] != value) value = parents_[value] = parents_[parents_[value]];
        return value;
    }
    void join(std::size_t a, std::size_t b) { parents_[of(a)] = of(b); }

 private:
    std::vector<std::size_t> parents_;
};

bool moves_bytes(OpCode op) {
    return op == OpCode::kConcat || op == OpCode::kSlice || op == OpCode::kMaxPool2d;
}

}  // namespace

std::vector<std::int32_t> map_offsets(const graph::Block& block) {
    Kinds kinds(block.tensors.size());
    for (const graph::Operator& op : block.operators) {
        if (!moves_bytes(op.op)) continue;
        for (const TensorIndex input : op.inputs) {
            if (block.tensors[input].type == DType::kI8) kinds.join(input, op.outputs[0]);
        }
    }
    std::map<std::size_t, std::int32_t> of_kind;
    constexpr std::size_t kZeroPoint = 3;
    for (const graph::Operator& op : block.operators) {
        if (!is_layer_convolution(op.op) || block.input(op, 0).type != DType::kI8) continue;
        if (const auto zero = constant_of(block, op, kZeroPoint)) {
            of_kind.try_emplace(kinds.of(op.inputs[0]), static_cast<std::int32_t>(*zero));
        }
    }
    std::vector<std::int32_t> offsets(block.tensors.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const auto own = of_kind.find(kinds.of(i));
        if (own != of_kind.end()) offsets[i] = own->second;
    }
    return offsets;
}

}  // namespace okksim::sim::planning
