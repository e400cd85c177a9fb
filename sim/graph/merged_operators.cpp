// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/merged_operators.h"

#include <algorithm>

#include "sim/graph/element.h"

namespace okksim::sim::graph {

Shape merged(const Shape& shape, const Groups& groups) {
    Shape result;
    std::size_t axis = 0;
    for (const std::size_t size : groups) {
        std::int64_t product = 1;
        for (std::size_t i = 0; i < size; ++i) product *= shape[axis++];
        result.push_back(product);
    }
    return result;
}

namespace {

/// Joins dimensions from the outermost one on, if `joins(axis)` permits axis and the one before.
template <typename Joins>
Groups grouped(std::size_t rank, const Joins& joins) {
    Groups groups;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (axis > 0 && joins(axis)) {
            ++groups.back();
        } else {
            groups.push_back(1);
        }
    }
    return groups;
}

std::size_t group_of(const Groups& groups, std::size_t axis) {
    std::size_t group = 0;
    while (axis >= groups[group]) axis -= groups[group++];
    return group;
}

/// The dimensions that an operator takes apart: a part of `size` elements from `start` on, of
/// `shape`. A dimension joins the one before if it is whole, or if that one has a single element.
struct Part {
    Shape shape, start, size;
};
Groups part_groups(const Part& part) {
    std::int64_t size = 1;
    return grouped(part.shape.size(), [&](std::size_t axis) {
        const bool is_whole = part.size[axis] == part.shape[axis];
        size = axis == 1 ? part.size[0] : size;
        const bool joins = is_whole || size == 1;
        size = joins ? size * part.size[axis] : part.size[axis];
        return joins;
    });
}

/// Returns the first element of a part per group.
Shape merged_start(const Part& part, const Groups& groups) {
    Shape result;
    std::size_t axis = 0;
    for (const std::size_t count : groups) {
        std::int64_t start = 0;
        for (std::size_t i = 0; i < count; ++i, ++axis) {
            start = start * part.shape[axis] + part.start[axis];
        }
        result.push_back(start);
    }
    return result;
}

bool is_elementwise(OpCode op) {
    return (op >= OpCode::kClamp && op <= OpCode::kGreaterEqual) || op == OpCode::kCast ||
           op == OpCode::kRescale || op == OpCode::kIdentity;
}

/// Finds the groups of an operator's dimensions.
class OperatorMerger {
 public:
    explicit OperatorMerger(const Block& block) : block_(block) {}

    std::optional<MergedOperator> run(const Operator& op) const {
        if (is_elementwise(op.op)) return merged_elementwise(op);
        switch (op.op) {
            case OpCode::kArgmax: return merged_axis<ArgmaxAttributes>(op);
            case OpCode::kReduceAll: return merged_axis<ReduceAllAttributes>(op);
            case OpCode::kReduceAny: return merged_axis<ReduceAnyAttributes>(op);
            case OpCode::kReduceMax: return merged_axis<ReduceMaxAttributes>(op);
            case OpCode::kReduceMin: return merged_axis<ReduceMinAttributes>(op);
            case OpCode::kReduceProduct: return merged_axis<ReduceProductAttributes>(op);
            case OpCode::kReduceSum: return merged_axis<ReduceSumAttributes>(op);
            case OpCode::kReverse: return merged_axis<ReverseAttributes>(op);
            case OpCode::kConcat: return merged_axis<ConcatAttributes>(op);
            case OpCode::kTranspose: return merged_transpose(op);
            case OpCode::kSlice: return merged_slice(op);
            case OpCode::kPad: return merged_pad(op);
            case OpCode::kTile: return merged_tile(op);
            default: return std::nullopt;
        }
    }

 private:
    const Shape& shape(TensorIndex index) const { return block_.tensors[index].shape.get(); }

    MergedOperator merged_elementwise(const Operator& op) const {
        const Shape& result = shape(op.outputs[0]);
        const auto* rescale = op.attributes_if<RescaleAttributes>();
        const bool has_channels = rescale != nullptr && rescale->per_channel;
        const Groups groups = grouped(result.size(), [&](std::size_t axis) {
            if (has_channels && axis + 1 == result.size()) return false;
            return std::ranges::all_of(op.inputs, [&](TensorIndex index) {
                const Shape& own = shape(index);
                if (own.size() != result.size()) return true;
                return (own[axis] == result[axis] && own[axis - 1] == result[axis - 1]) ||
                       (own[axis] == 1 && own[axis - 1] == 1);
            });
        });
        return {groups, groups, op.attributes.get()};
    }

    template <typename T>
    MergedOperator merged_axis(const Operator& op) const {
        T attributes = op.attributes_as<T>();
        const auto axis = static_cast<std::size_t>(attributes.axis);
        const Groups groups = grouped(shape(op.inputs[0]).size(),
                                      [&](std::size_t i) { return i != axis && i != axis + 1; });
        const std::size_t group = group_of(groups, axis);
        attributes.axis = static_cast<std::int32_t>(group);
        Groups results = groups;
        if (op.op == OpCode::kArgmax) results.erase(results.begin() + std::ptrdiff_t(group));
        return {groups, results, attributes};
    }

    MergedOperator merged_transpose(const Operator& op) const {
        const auto& perms = op.attributes_as<TransposeAttributes>().perms;
        std::vector<std::size_t> place(perms.size());
        for (std::size_t i = 0; i < perms.size(); ++i) {
            place[static_cast<std::size_t>(perms[i])] = i;
        }
        const Groups groups = grouped(
            perms.size(), [&](std::size_t axis) { return place[axis] == place[axis - 1] + 1; });
        TransposeAttributes attributes;
        Groups results;
        for (std::size_t i = 0; i < perms.size(); i += results.back()) {
            const std::size_t group = group_of(groups, static_cast<std::size_t>(perms[i]));
            attributes.perms.push_back(static_cast<std::int32_t>(group));
            results.push_back(groups[group]);
        }
        return {groups, results, attributes};
    }

    std::vector<std::int64_t> list(TensorIndex index) const {
        return integer_values(block_.tensors[index]);
    }
    bool has_lists(const Operator& op, std::size_t count) const {
        for (std::size_t i = 1; i <= count; ++i) {
            if (!block_.tensors[op.inputs[i]].has_data) return false;
        }
        return true;
    }

    std::optional<MergedOperator> merged_slice(const Operator& op) const {
        if (!has_lists(op, 2)) return std::nullopt;
        const Part part{shape(op.inputs[0]), list(op.inputs[1]), list(op.inputs[2])};
        const Groups groups = part_groups(part);
        return MergedOperator{groups,
                              groups,
                              NoAttributes{},
                              {merged_start(part, groups), merged(part.size, groups)}};
    }

    std::optional<MergedOperator> merged_pad(const Operator& op) const {
        if (!has_lists(op, 1)) return std::nullopt;
        const Shape amounts = list(op.inputs[1]);
        Part part{shape(op.outputs[0]), {}, shape(op.inputs[0])};  // the operand is a part
        for (std::size_t i = 0; i < part.shape.size(); ++i) part.start.push_back(amounts[2 * i]);
        // Only whole dimensions join: a single element with padding is not contiguous with others.
        const Groups groups = grouped(part.shape.size(), [&](std::size_t axis) {
            return part.size[axis] == part.shape[axis];
        });
        const Shape whole = merged(part.shape, groups), size = merged(part.size, groups);
        const Shape start = merged_start(part, groups);
        Shape padding;
        for (std::size_t i = 0; i < groups.size(); ++i) {
            padding.insert(padding.end(), {start[i], whole[i] - size[i] - start[i]});
        }
        return MergedOperator{groups, groups, NoAttributes{}, {padding}};
    }

    std::optional<MergedOperator> merged_tile(const Operator& op) const {
        if (!has_lists(op, 1)) return std::nullopt;
        const Shape multiples = list(op.inputs[1]);
        const Groups groups =
            grouped(multiples.size(), [&](std::size_t axis) { return multiples[axis] == 1; });
        return MergedOperator{groups, groups, NoAttributes{}, {merged(multiples, groups)}};
    }

    const Block& block_;
};

}  // namespace

std::optional<MergedOperator> merged_operator(const Block& block, const Operator& op) {
    return OperatorMerger(block).run(op);
}

}  // namespace okksim::sim::graph
