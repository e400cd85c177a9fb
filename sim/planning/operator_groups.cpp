// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/operator_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "kernels/pointwise/fusion.h"
#include "sim/graph/element.h"
#include "sim/planning/describe_value.h"
#include "sim/planning/row_groups.h"
#include "sim/planning/value_uses.h"

namespace okksim::sim::planning {
namespace {

using graph::TensorIndex;
using kernels::Follower;

/// Maximum followers in a kernel. Longer chains gain little more.
constexpr std::size_t kMostFollowers = 8;

/// True if all elements of an integer constant are in the range.
bool within(const graph::Tensor& constant, std::int64_t low, std::int64_t high) {
    const std::uint64_t count =
        graph::distinct_elements(constant.data, graph::element_count(constant.shape).value_or(0));
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t value = graph::integer_element(constant.data, constant.type, i);
        if (value < low || value > high) return false;
    }
    return true;
}

class Grouping {
 public:
    /// Operators of the given groups are left out.
    Grouping(const graph::Block& block, const std::vector<OperatorGroup>& groups)
        : block_(block), uses_(block), grouped_(block.operators.size(), false) {
        for (const OperatorGroup& group : groups) {
            grouped_[group.first] = true;
            for (const GroupMember& member : group.followers) grouped_[member.op] = true;
        }
    }

    std::vector<OperatorGroup> run() {
        std::vector<OperatorGroup> groups;
        for (std::uint32_t i = 0; i < block_.operators.size(); ++i) {
            if (grouped_[i]) continue;
            std::optional<OperatorGroup> group = group_of(i);
            if (!group) continue;
            for (const GroupMember& member : group->followers) grouped_[member.op] = true;
            groups.push_back(*std::move(group));
        }
        return groups;
    }

 private:
    /// Returns the longest group that `first` begins and whose inner values are only read in the
    /// group.
    std::optional<OperatorGroup> group_of(std::uint32_t first) const {
        const graph::Operator& op = block_.operators[first];
        if (op.outputs.size() != 1) return std::nullopt;
        const std::vector<kernels::DeviceTensor> inputs = describe(op.inputs);
        const std::vector<kernels::DeviceTensor> outputs = describe(op.outputs);
        const kernels::OperatorCall lead{op.op, &op.attributes.get(), inputs, outputs};
        OperatorGroup group{first, {}};
        std::vector<TensorIndex> values{op.outputs[0]};
        std::vector<Follower> followers;
        std::size_t closed = 0;
        while (group.followers.size() < kMostFollowers) {
            const std::optional<std::uint32_t> next = next_reader(group, values);
            if (!next || !add(*next, lead, values, followers, group)) break;
            if (is_closed(group, values)) closed = group.followers.size();
        }
        group.followers.resize(closed);
        if (closed == 0) return std::nullopt;
        return group;
    }

    /// Returns the first operator outside the group that reads one of its values.
    std::optional<std::uint32_t> next_reader(const OperatorGroup& group,
                                             std::span<const TensorIndex> values) const {
        std::optional<std::uint32_t> next;
        for (const TensorIndex value : values) {
            for (const std::uint32_t reader : uses_.readers(value)) {
                if (is_member(group, reader)) continue;
                if (!next || reader < *next) next = reader;
            }
        }
        return next;
    }

    static bool is_member(const OperatorGroup& group, std::uint32_t op) {
        return std::any_of(group.followers.begin(), group.followers.end(),
                           [op](const GroupMember& member) { return member.op == op; });
    }

    bool add(std::uint32_t index, const kernels::OperatorCall& lead,
             std::vector<TensorIndex>& values, std::vector<Follower>& followers,
             OperatorGroup& group) const {
        const graph::Operator& op = block_.operators[index];
        const auto leading = static_cast<std::size_t>(kernels::leading_operands(op.op));
        if (grouped_[index] || op.outputs.size() != 1 || op.inputs.size() < leading) return false;
        GroupMember member{index, {}};
        for (std::size_t i = 0; i < op.inputs.size(); ++i) {
            const auto at = std::find(values.begin(), values.end(), op.inputs[i]);
            const bool is_value = at != values.end();
            if (i >= leading) {
                if (is_value || !block_.input(op, i).has_data) return false;
                continue;
            }
            if (!is_value && !exists_before(group.first, op.inputs[i])) return false;
            member.operands.push_back(is_value ? static_cast<int>(at - values.begin())
                                               : Follower::kStored);
        }
        Follower follower{op.op, &op.attributes.get(), member.operands, describe(op.inputs),
                          describe(op.outputs).front()};
        if (!kernels::can_follow(lead, followers, follower) || !constants_allow(op)) return false;
        values.push_back(op.outputs[0]);
        followers.push_back(std::move(follower));
        group.followers.push_back(std::move(member));
        return true;
    }

    /// True if the value exists when the operator at `position` runs.
    bool exists_before(std::uint32_t position, TensorIndex value) const {
        const graph::Tensor& tensor = block_.tensors[value];
        return tensor.has_data || !tensor.producer || *tensor.producer < position;
    }

    /// False if the constants have values that are reported when the operator runs alone.
    bool constants_allow(const graph::Operator& op) const {
        constexpr int kMostShift = 62;
        if (op.op == tosa::OpCode::kMul) return within(block_.input(op, 2), 0, 0);
        if (op.op != tosa::OpCode::kRescale) return true;
        return within(block_.input(op, 2), kernels::kEveryInt32Shift, kMostShift) &&
               within(block_.input(op, 3), 0, 0);
    }

    /// True if all values except the last one are only read in the group.
    bool is_closed(const OperatorGroup& group, std::span<const TensorIndex> values) const {
        return std::all_of(values.begin(), values.end() - 1, [&](TensorIndex value) {
            const std::vector<std::uint32_t>& readers = uses_.readers(value);
            return !uses_.leaves(value) &&
                   std::all_of(readers.begin(), readers.end(),
                               [&](std::uint32_t op) { return is_member(group, op); });
        });
    }

    std::vector<kernels::DeviceTensor> describe(std::span<const TensorIndex> tensors) const {
        std::vector<kernels::DeviceTensor> described;
        for (const TensorIndex tensor : tensors) {
            described.push_back(describe_value(block_.tensors[tensor], StorageOrder::kRowMajor));
        }
        return described;
    }

    const graph::Block& block_;
    ValueUses uses_;
    std::vector<bool> grouped_;
};

void add_operators(const OperatorGroup& group, std::set<std::uint32_t>& operators) {
    operators.insert(group.first);
    for (const GroupMember& member : group.followers) operators.insert(member.op);
}

}  // namespace

std::vector<OperatorGroup> choose_groups(const graph::Block& block,
                                         const isa::MachineShape* machine,
                                         std::set<std::uint32_t> taken, bool chains_products) {
    std::vector<OperatorGroup> groups;
    std::set<std::uint32_t> grouped = taken;
    const auto add_rows = [&](RowLead lead) {
        for (OperatorGroup& group : choose_row_groups(block, *machine, grouped, lead)) {
            add_operators(group, grouped);
            groups.push_back(std::move(group));
        }
    };
    if (machine != nullptr && chains_products) {
        add_rows(RowLead::kProduct);
        add_rows(RowLead::kFloatProduct);
    }
    if (machine != nullptr) add_rows(RowLead::kFloat);
    for (OperatorGroup& group : Grouping(block, groups).run()) groups.push_back(std::move(group));
    if (machine == nullptr) return groups;
    for (const OperatorGroup& group : groups) add_operators(group, taken);
    for (OperatorGroup& group : choose_row_groups(block, *machine, taken)) {
        groups.push_back(std::move(group));
    }
    return groups;
}

std::string group_name(tosa::OpCode first, std::span<const tosa::OpCode> followers) {
    std::string name(tosa::op_name(first));
    if (followers.size() > kMostFollowers) {
        return fmt::format("{}..{} ({} operators)", name, tosa::op_name(followers.back()),
                           followers.size() + 1);
    }
    for (const tosa::OpCode follower : followers) name.append("+").append(tosa::op_name(follower));
    return name;
}

std::string layers_name(std::size_t count) {
    return fmt::format("({} {})", count, count == 1 ? "layer" : "layers");
}

}  // namespace okksim::sim::planning
