// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/row_groups.h"

#include <algorithm>
#include <map>
#include <optional>

#include "isa/features.h"
#include "kernels/rows/row_plan.h"
#include "kernels/rows/row_program.h"
#include "sim/graph/constant_operator.h"
#include "sim/graph/element.h"
#include "sim/planning/describe_value.h"
#include "sim/planning/storage_order.h"
#include "sim/planning/value_uses.h"
#include "sim/planning/value_views.h"

namespace okksim::sim::planning {
namespace {

using graph::TensorIndex;
using kernels::Follower;

/// Operators of a group at most, and those after the last one of a group that are looked at.
constexpr std::size_t kMostMembers = 48;
constexpr std::size_t kMostPassed = 12;

class RowGrouping {
 public:
    RowGrouping(const graph::Block& block, const isa::MachineShape& machine,
                const std::set<std::uint32_t>& taken, RowLead lead)
        : block_(block),
          machine_(machine),
          orders_(choose_orders(block)),
          uses_(block),
          taken_(taken),
          lead_(lead) {}

    std::vector<OperatorGroup> run() {
        std::vector<OperatorGroup> groups;
        for (std::uint32_t i = 0; i < block_.operators.size(); ++i) {
            if (!is_candidate(i) || !leads(i)) continue;
            std::optional<OperatorGroup> group = Growth(*this, i).run();
            if (!group) continue;
            taken_.insert(i);
            for (const GroupMember& member : group->followers) taken_.insert(member.op);
            groups.push_back(*std::move(group));
        }
        return groups;
    }

 private:
    bool is_candidate(std::uint32_t op) const {
        const graph::Operator& own = block_.operators[op];
        if (own.op == tosa::OpCode::kMatmul && lead_ != RowLead::kProduct) return false;
        return taken_.count(op) == 0 && own.outputs.size() == 1 &&
               kernels::rows::row_operands(own.op) > 0 &&
               !tosa::is_floating_point(block_.tensors[own.outputs[0]].type);
    }

    bool leads(std::uint32_t op) const {
        return lead_ == RowLead::kAny || block_.operators[op].op == tosa::OpCode::kMatmul;
    }

    /// Values that a planner may look at.
    const std::optional<std::vector<std::int64_t>>& constant(std::uint32_t op, std::size_t input) {
        const TensorIndex tensor = block_.operators[op].inputs[input];
        const auto [at, is_new] = constants_.try_emplace(tensor);
        if (is_new) at->second = values_of(block_.tensors[tensor]);
        return at->second;
    }

    static std::optional<std::vector<std::int64_t>> values_of(const graph::Tensor& tensor) {
        if (!tensor.has_data || !kernels::is_list(tensor.shape)) return std::nullopt;
        const std::uint64_t count = graph::element_count(tensor.shape).value_or(0);
        std::vector<std::int64_t> values;
        for (std::uint64_t i = 0; i < count; ++i) {
            values.push_back(graph::integer_element(tensor.data, tensor.type, i));
        }
        return values;
    }

    kernels::DeviceTensor describe(TensorIndex tensor) const {
        return describe_value(block_.tensors[tensor], orders_[tensor]);
    }

    /// A group as it grows, operator by operator.
    class Growth {
     public:
        Growth(RowGrouping& all, std::uint32_t first)
            : all_(all), block_(all.block_), group_{first, {}} {}

        std::optional<OperatorGroup> run() {
            if (!add(group_.first)) return std::nullopt;
            std::size_t closed = 0, passed = 0;
            for (std::uint32_t i = group_.first + 1; i < block_.operators.size(); ++i) {
                if (graph::is_constant(block_.operators[i])) continue;
                if (members_.size() == kMostMembers || passed > kMostPassed) break;
                if (!is_open(i) || !belongs(i) || !add_with_operands(i)) {
                    ++passed;
                    continue;
                }
                passed = 0;
                if (is_closed()) closed = group_.followers.size();
            }
            group_.followers.resize(closed);
            if (closed == 0) return std::nullopt;
            return std::move(group_);
        }

     private:
        bool is_value(TensorIndex tensor) const {
            return std::find(values_.begin(), values_.end(), tensor) != values_.end();
        }

        bool reads_group(std::uint32_t op) const {
            const auto& inputs = block_.operators[op].inputs;
            return std::any_of(inputs.begin(), inputs.end(),
                               [&](TensorIndex input) { return is_value(input); });
        }

        /// Reads what the group makes, or has no other reader than one that does.
        bool belongs(std::uint32_t op) const {
            if (reads_group(op)) return true;
            const TensorIndex result = block_.operators[op].outputs[0];
            const std::vector<std::uint32_t>& readers = all_.uses_.readers(result);
            return readers.size() == 1 && !all_.uses_.leaves(result) && reads_group(readers[0]);
        }

        /// The value is there when the first operator runs, or can be: what merely moves elements
        /// is done before (block_planner.cpp).
        bool exists_before(TensorIndex value) const {
            const graph::Tensor& tensor = block_.tensors[value];
            if (tensor.has_data || !tensor.producer || *tensor.producer < group_.first) return true;
            const graph::Operator& producer = block_.operators[*tensor.producer];
            return all_.lead_ == RowLead::kProduct && moves_elements(producer.op) &&
                   exists_before(producer.inputs[0]);
        }

        bool is_open(std::uint32_t op) const {
            return all_.is_candidate(op) &&
                   std::find(operators_.begin(), operators_.end(), op) == operators_.end();
        }

        /// Adds an operator behind those that make operands of it alone.
        bool add_with_operands(std::uint32_t index) {
            const std::size_t before = operators_.size();
            const graph::Operator& op = block_.operators[index];
            const auto own = static_cast<std::size_t>(kernels::rows::row_operands(op.op));
            bool is_added = true;
            for (std::size_t k = 0; k < own && k < op.inputs.size() && is_added; ++k) {
                const TensorIndex input = op.inputs[k];
                if (is_value(input) || exists_before(input)) continue;
                const std::uint32_t producer = *block_.tensors[input].producer;
                is_added = is_open(producer) && add(producer);
            }
            is_added = is_added && add(index);
            if (!is_added) forget(before);
            return is_added;
        }

        /// Leaves so many operators.
        void forget(std::size_t count) {
            members_.resize(count);
            operators_.resize(count);
            values_.resize(count);
            group_.followers.resize(count - 1);
        }

        bool add(std::uint32_t index) {
            const graph::Operator& op = block_.operators[index];
            const auto own = static_cast<std::size_t>(kernels::rows::row_operands(op.op));
            GroupMember member{index, {}};
            Follower follower{op.op, &op.attributes.get(), {}, {}, all_.describe(op.outputs[0])};
            for (std::size_t k = 0; k < op.inputs.size(); ++k) {
                follower.inputs.push_back(all_.describe(op.inputs[k]));
                const auto at = std::find(values_.begin(), values_.end(), op.inputs[k]);
                const bool is_own = at != values_.end();
                if (k >= own && !block_.input(op, k).has_data) return false;
                if (k >= own) continue;
                if (!is_own && !exists_before(op.inputs[k])) return false;
                member.operands.push_back(is_own ? static_cast<int>(at - values_.begin())
                                                 : Follower::kStored);
            }
            follower.operands = member.operands;
            members_.push_back(std::move(follower));
            operators_.push_back(index);
            if (!is_possible()) {
                members_.pop_back();
                operators_.pop_back();
                return false;
            }
            if (index != group_.first) group_.followers.push_back(std::move(member));
            values_.push_back(op.outputs[0]);
            return true;
        }

        bool is_possible() {
            const auto read = [&](std::size_t member, std::size_t input) {
                return all_.constant(operators_[member], input);
            };
            const auto program = kernels::rows::row_program(members_, read, all_.machine_);
            repeats_result_ = program && program->repeats_result;
            return program && !kernels::rows::row_candidates(*program, all_.machine_).empty();
        }

        /// Nobody else reads the values before the last one, which can be stored.
        bool is_closed() const {
            return !repeats_result_ && has_rows() &&
                   std::all_of(values_.begin(), values_.end() - 1, [&](TensorIndex value) {
                       const std::vector<std::uint32_t>& readers = all_.uses_.readers(value);
                       return !all_.uses_.leaves(value) && !readers.empty() &&
                              std::all_of(readers.begin(), readers.end(), [&](std::uint32_t op) {
                                  return std::find(operators_.begin(), operators_.end(), op) !=
                                         operators_.end();
                              });
                   });
        }

        /// A product and what merely scales it is no row group.
        bool has_rows() const {
            return all_.lead_ == RowLead::kAny ||
                   std::any_of(operators_.begin() + 1, operators_.end(), [&](std::uint32_t op) {
                       return kernels::rows::works_along_rows(block_.operators[op].op);
                   });
        }

        RowGrouping& all_;
        const graph::Block& block_;
        OperatorGroup group_;
        kernels::rows::Members members_;
        std::vector<std::uint32_t> operators_;  ///< of the members
        std::vector<TensorIndex> values_;       ///< that they make
        bool repeats_result_ = false;           ///< RowProgram::repeats_result
    };

    const graph::Block& block_;
    const isa::MachineShape& machine_;
    std::vector<StorageOrder> orders_;
    ValueUses uses_;
    std::set<std::uint32_t> taken_;
    RowLead lead_;
    std::map<TensorIndex, std::optional<std::vector<std::int64_t>>> constants_;  ///< looked at
};

}  // namespace

std::vector<OperatorGroup> choose_row_groups(const graph::Block& block,
                                             const isa::MachineShape& machine,
                                             const std::set<std::uint32_t>& taken, RowLead lead) {
    const bool can = isa::has_feature(machine, isa::Feature::kIntAlu) ||
                     isa::has_feature(machine, isa::Feature::kRequantise);
    if (!can) return {};
    return RowGrouping(block, machine, taken, lead).run();
}

}  // namespace okksim::sim::planning
