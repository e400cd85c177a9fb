// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/row_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "isa/features.h"
#include "kernels/rows/float_row_builder.h"
#include "kernels/rows/float_row_planner.h"
#include "kernels/rows/row_builder.h"
#include "kernels/rows/row_planner.h"
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

/// Maximum operators of a group, and of operators examined after the last member.
constexpr std::size_t kMostMembers = 48;
constexpr std::size_t kMostPassed = 12;

bool is_float_lead(RowLead lead) {
    return lead == RowLead::kFloat || lead == RowLead::kFloatProduct;
}

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
        if (own.op == tosa::OpCode::kMatmul && !is_product()) return false;
        if (own.op == tosa::OpCode::kReshape && !is_product() && !is_float()) return false;
        if (taken_.count(op) > 0 || own.outputs.size() != 1 || operands_of(own.op) == 0) {
            return false;
        }
        const tosa::DType type = block_.tensors[own.outputs[0]].type;
        return is_float() ? type == tosa::DType::kFp32 : !tosa::is_floating_point(type);
    }

    bool is_float() const { return is_float_lead(lead_); }
    bool is_product() const {
        return lead_ == RowLead::kProduct || lead_ == RowLead::kFloatProduct;
    }

    int operands_of(tosa::OpCode op) const {
        return is_float() ? kernels::rows::float_row_operands(op) : kernels::rows::row_operands(op);
    }

    bool leads(std::uint32_t op) const {
        if (is_product()) return block_.operators[op].op == tosa::OpCode::kMatmul;
        return lead_ == RowLead::kAny || has_number(op) || reduces_behind(op);
    }

    /// True if an operator within reach of a group works along rows.
    bool reduces_behind(std::uint32_t op) const {
        const std::size_t end = std::min(block_.operators.size(), op + 2 * kMostMembers);
        for (std::size_t i = op; i < end; ++i) {
            if (kernels::rows::works_along_rows(block_.operators[i].op) &&
                block_.operators[i].op != tosa::OpCode::kMatmul) {
                return true;
            }
        }
        return false;
    }

    /// True if an operand of the operator is a single known number.
    bool has_number(std::uint32_t op) const {
        const graph::Operator& own = block_.operators[op];
        const auto count = static_cast<std::size_t>(operands_of(own.op));
        for (std::size_t k = 0; k < count && k < own.inputs.size(); ++k) {
            const graph::Tensor& input = block_.tensors[own.inputs[k]];
            if (input.has_data && graph::element_count(input.shape) == 1) return true;
        }
        return false;
    }

    /// Returns the values of a constant that the planner may read.
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
        if (tensor.type == tosa::DType::kFp32) return bits_of(tensor, count);
        if (tosa::is_floating_point(tensor.type)) return std::nullopt;
        for (std::uint64_t i = 0; i < count; ++i) {
            values.push_back(graph::integer_element(tensor.data, tensor.type, i));
        }
        return values;
    }

    static std::vector<std::int64_t> bits_of(const graph::Tensor& tensor, std::uint64_t count) {
        const graph::RepeatedElement* all = tensor.data.repeated();
        const std::span<const std::byte> data =
            all != nullptr ? all->element() : tensor.data.bytes();
        std::vector<std::int64_t> bits;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t at = all != nullptr ? 0 : i;
            bits.push_back(graph::float_bits_element(data, tensor.type, at));
        }
        return bits;
    }

    kernels::DeviceTensor describe(TensorIndex tensor) const {
        return describe_value(block_.tensors[tensor], orders_[tensor]);
    }

    /// A group that grows operator by operator.
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
            if (closed == 0 || (all_.is_float() && is_left_to_tiles())) return std::nullopt;
            return std::move(group_);
        }

     private:
        /// True if a kernel with tiles can also run the group.
        bool is_left_to_tiles() const {
            const std::span followers(members_.data() + 1, group_.followers.size());
            return !kernels::rows::is_float_row_group({.op = members_[0].op,
                                                       .attributes = members_[0].attributes,
                                                       .inputs = members_[0].inputs,
                                                       .outputs = {&followers.back().output, 1},
                                                       .followers = followers});
        }

        bool is_value(TensorIndex tensor) const {
            return std::find(values_.begin(), values_.end(), tensor) != values_.end();
        }

        bool reads_group(std::uint32_t op) const {
            const auto& inputs = block_.operators[op].inputs;
            return std::any_of(inputs.begin(), inputs.end(),
                               [&](TensorIndex input) { return is_value(input); });
        }

        /// True if the operator reads a value of the group, or its only reader does.
        bool belongs(std::uint32_t op) const {
            if (reads_group(op)) return true;
            const TensorIndex result = block_.operators[op].outputs[0];
            const std::vector<std::uint32_t>& readers = all_.uses_.readers(result);
            return readers.size() == 1 && !all_.uses_.leaves(result) && reads_group(readers[0]);
        }

        /// True if the value exists, or can exist, when the first operator runs. Data movement
        /// without computing runs before the group (block_planner.cpp).
        bool exists_before(TensorIndex value) const {
            const graph::Tensor& tensor = block_.tensors[value];
            if (tensor.has_data || !tensor.producer || *tensor.producer < group_.first) return true;
            const graph::Operator& producer = block_.operators[*tensor.producer];
            return all_.is_product() && moves_elements(producer.op) &&
                   exists_before(producer.inputs[0]);
        }

        bool is_open(std::uint32_t op) const {
            return all_.is_candidate(op) &&
                   std::find(operators_.begin(), operators_.end(), op) == operators_.end();
        }

        /// Adds an operator after those whose results only it reads.
        bool add_with_operands(std::uint32_t index) {
            const std::size_t before = operators_.size();
            const graph::Operator& op = block_.operators[index];
            const auto own = static_cast<std::size_t>(all_.operands_of(op.op));
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

        /// Shortens the group to `count` operators.
        void forget(std::size_t count) {
            members_.resize(count);
            operators_.resize(count);
            values_.resize(count);
            group_.followers.resize(count - 1);
            forget_stored(count);
        }

        void forget_stored(std::size_t count) {
            while (!stored_.empty() && stored_.back().second.member >= count) stored_.pop_back();
        }

        bool add(std::uint32_t index) {
            const graph::Operator& op = block_.operators[index];
            const auto own = static_cast<std::size_t>(all_.operands_of(op.op));
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
                                                 : stored_operand(op.inputs[k], k));
            }
            follower.operands = member.operands;
            members_.push_back(std::move(follower));
            operators_.push_back(index);
            if (!is_possible()) {
                members_.pop_back();
                operators_.pop_back();
                forget_stored(operators_.size());
                return false;
            }
            if (index != group_.first) group_.followers.push_back(std::move(member));
            values_.push_back(op.outputs[0]);
            return true;
        }

        /// Returns a tensor in memory. An fp32 tensor may be that of an earlier operand. Operands
        /// of the first operator have no other name.
        int stored_operand(TensorIndex value, std::size_t k) {
            const kernels::StoredPlace own{operators_.size(), k};
            for (const auto& [known, place] : stored_) {
                const bool is_same = known == value && all_.is_float() && own.member > 0;
                if (is_same) return Follower::same_as(place);
            }
            stored_.emplace_back(value, own);
            return Follower::kStored;
        }

        bool is_possible() {
            const auto read = [&](std::size_t member, std::size_t input) {
                return all_.constant(operators_[member], input);
            };
            if (all_.is_float()) return is_possible_float(read);
            const auto program = kernels::rows::row_program(members_, read, all_.machine_);
            repeats_result_ = program && program->repeats_result;
            return program && !kernels::rows::row_candidates(*program, all_.machine_).empty();
        }

        bool is_possible_float(const kernels::rows::ReadConstant& read) {
            const auto program = kernels::rows::float_row_program(members_, read);
            repeats_result_ = program && program->is_open;
            return program && kernels::rows::has_float_row_plan(*program, members_, all_.machine_);
        }

        /// True if all values except the last one are only read in the group, and the last one can
        /// be stored.
        bool is_closed() const {
            return !is_view(operators_.back()) && !repeats_result_ && has_rows() &&
                   std::all_of(values_.begin(), values_.end() - 1, [&](TensorIndex value) {
                       const std::vector<std::uint32_t>& readers = all_.uses_.readers(value);
                       return !all_.uses_.leaves(value) && !readers.empty() &&
                              std::all_of(readers.begin(), readers.end(), [&](std::uint32_t op) {
                                  return std::find(operators_.begin(), operators_.end(), op) !=
                                         operators_.end();
                              });
                   });
        }

        /// A reader of a view can also read the source of the view.
        bool is_view(std::uint32_t op) const {
            return block_.operators[op].op == tosa::OpCode::kReshape;
        }

        /// A product with only a scaling is no row group, and neither is a group that tiles of
        /// another operator's result can carry.
        bool has_rows() const {
            return all_.lead_ == RowLead::kAny ||
                   (all_.lead_ == RowLead::kFloat && all_.has_number(operators_.front())) ||
                   std::any_of(operators_.begin() + (all_.is_product() ? 1 : 0), operators_.end(),
                               [&](std::uint32_t op) {
                                   return kernels::rows::works_along_rows(block_.operators[op].op);
                               });
        }

        RowGrouping& all_;
        const graph::Block& block_;
        OperatorGroup group_;
        kernels::rows::Members members_;
        std::vector<std::uint32_t> operators_;  ///< by member
        std::vector<TensorIndex> values_;       ///< by member
        /// fp32 operands in memory.
        std::vector<std::pair<TensorIndex, kernels::StoredPlace>> stored_;
        bool repeats_result_ = false;  ///< RowProgram::repeats_result
    };

    const graph::Block& block_;
    const isa::MachineShape& machine_;
    std::vector<StorageOrder> orders_;
    ValueUses uses_;
    std::set<std::uint32_t> taken_;
    RowLead lead_;
    std::map<TensorIndex, std::optional<std::vector<std::int64_t>>> constants_;  ///< by tensor
};

}  // namespace

std::vector<OperatorGroup> choose_row_groups(const graph::Block& block,
                                             const isa::MachineShape& machine,
                                             const std::set<std::uint32_t>& taken, RowLead lead) {
    const bool can = is_float_lead(lead) || isa::has_feature(machine, isa::Feature::kIntAlu) ||
                     isa::has_feature(machine, isa::Feature::kRequantise);
    if (!can) return {};
    return RowGrouping(block, machine, taken, lead).run();
}

}  // namespace okksim::sim::planning
