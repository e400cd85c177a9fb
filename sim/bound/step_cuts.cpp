// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/step_cuts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "isa/features.h"
#include "models/chip/chip_params.h"
#include "models/gdma/gdma_params.h"
#include "sim/bound/group_need.h"
#include "sim/bound/kernel_need.h"
#include "sim/bound/operator_need.h"
#include "sim/bound/own_work.h"
#include "sim/bound/reorder_need.h"
#include "sim/graph/constant_operator.h"
#include "sim/graph/host_tensor.h"
#include "sim/planning/memory_plan.h"
#include "sim/planning/storage_order.h"

namespace okksim::sim::bound {
namespace {

using graph::TensorIndex;
using models::Picoseconds;

/// Maximum operators of a launch, because the number of cuts more than doubles with every operator.
constexpr std::size_t kMostCutOperators = 4;
/// Maximum rows of a feature map, all images together. They limit the number of slices, and the
/// time grows with its square.
constexpr std::int64_t kMostSlices = 128;

/// The order of a feature map in global memory between steps.
enum class Lies : std::uint8_t {
    kRowMajor,
    kChannelFirst,
    kBoth  ///< a separate step has made a copy in the other order
};

class StepCuts {
 public:
    StepCuts(const BoundScope& scope, std::vector<std::uint32_t> operators,
             pricing::MachineHost& host)
        : block_(scope.block),
          wanted_(scope.wanted.begin(), scope.wanted.end()),
          operators_(std::move(operators)),
          host_(host),
          times_(host.params(), true),
          groups_(scope.block, host),
          orders_(planning::choose_orders(scope.block)) {}

    std::optional<Picoseconds> least() {
        cut(0);
        if (least_) *least_ += times_.poll();
        return least_;
    }

 private:
    using Values = std::map<TensorIndex, Lies>;

    struct Piece {
        std::size_t begin = 0, end = 0;
        bool is_kernel = false;
        std::vector<TensorIndex> values;  ///< its feature maps in global memory
    };
    /// Consecutive steps, each with its alternatives.
    using Steps = std::vector<const std::vector<StepNeed>*>;

    void cut(std::size_t begin) {
        if (begin == operators_.size()) return consider_values();
        for (std::size_t end = begin + 1; end <= operators_.size(); ++end) {
            for (const bool is_kernel : {false, true}) {
                if (is_kernel && !can_be_kernel(begin, end)) continue;
                pieces_.push_back({begin, end, is_kernel, {}});
                cut(end);
                pieces_.pop_back();
            }
        }
    }

    /// True for one operator, followed by element-wise operators only.
    bool can_be_kernel(std::size_t begin, std::size_t end) const {
        return std::all_of(at(begin) + 1, at(end), [&](std::uint32_t op) {
            return is_by_element(block_, block_.operators[op]);
        });
    }
    std::vector<std::uint32_t>::const_iterator at(std::size_t index) const {
        return operators_.begin() + static_cast<std::ptrdiff_t>(index);
    }
    std::vector<std::uint32_t> operators_of(const Piece& piece) const {
        return {at(piece.begin), at(piece.end)};
    }

    /// Tries all combinations of orders of the feature maps between the pieces.
    void consider_values() {
        std::map<TensorIndex, std::set<std::size_t>> users;
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            for (const std::uint32_t op : operators_of(pieces_[i])) {
                const graph::Operator& own = block_.operators[op];
                for (const TensorIndex value : own.inputs) users[value].insert(i);
                for (const TensorIndex value : own.outputs) users[value].insert(i);
            }
            pieces_[i].values.clear();
        }
        std::vector<TensorIndex> values;
        for (const auto& [value, pieces] : users) {
            const graph::Tensor& tensor = block_.tensors[value];
            if (tensor.has_data || !is_ordered(tensor)) continue;
            if (pieces.size() < 2 && !is_launched(value)) continue;
            values.push_back(value);
            for (const std::size_t piece : pieces) pieces_[piece].values.push_back(value);
        }
        Values lies;
        lay(values, 0, lies);
    }
    /// True if the value is an input or output of the launch.
    bool is_launched(TensorIndex value) const { return is_given(value) || wanted_.contains(value); }
    bool is_given(TensorIndex value) const {
        return std::none_of(operators_.begin(), operators_.end(), [&](std::uint32_t op) {
            return std::ranges::find(block_.operators[op].outputs, value) !=
                   block_.operators[op].outputs.end();
        });
    }

    void lay(const std::vector<TensorIndex>& values, std::size_t index, Values& lies) {
        if (index == values.size()) return consider(lies);
        const TensorIndex value = values[index];
        for (const Lies own : {order_of(value), Lies::kBoth}) {
            if (own == Lies::kBoth && !taker_of(value) && !maker_of(value)) continue;
            lies[value] = own;
            lay(values, index + 1, lies);
        }
        lies.erase(value);
    }
    /// Returns the order that the planner gives the value.
    Lies order_of(TensorIndex value) const {
        return orders_[value] == planning::StorageOrder::kRowMajor ? Lies::kRowMajor
                                                                   : Lies::kChannelFirst;
    }
    /// Returns the first piece that reads a channel-first copy of a row-major value: a kernel or
    /// group whose first operator has windows.
    std::optional<std::size_t> taker_of(TensorIndex value) const {
        const auto takes = [&](const Piece& piece) {
            const graph::Operator& first = block_.operators[*at(piece.begin)];
            return is_by_channel(block_, first) && first.inputs[0] == value;
        };
        return place_of(value, takes);
    }
    /// Returns the kernel with windows whose result a separate step reorders to row major.
    std::optional<std::size_t> maker_of(TensorIndex value) const {
        const auto makes = [&](const Piece& piece) {
            return piece.is_kernel && is_by_channel(block_, block_.operators[*at(piece.begin)]) &&
                   block_.operators[*(at(piece.end) - 1)].outputs[0] == value;
        };
        return place_of(value, makes);
    }
    template <typename Matches>
    std::optional<std::size_t> place_of(TensorIndex value, const Matches& matches) const {
        const auto piece = std::ranges::find_if(pieces_, matches);
        if (order_of(value) == Lies::kChannelFirst || piece == pieces_.end()) return std::nullopt;
        return static_cast<std::size_t>(piece - pieces_.begin());
    }

    const std::vector<StepNeed>& reorder(TensorIndex value, Reorder order) {
        const auto [known, is_new] = reorders_.try_emplace({value, order});
        if (!is_new) return known->second;
        const Picoseconds last = times_.least_command();
        for (const LeastWork& work : reorder_works(block_.tensors[value].shape, order, host_)) {
            StepNeed need;
            need.engines = work.time();
            need.begin = {1, reorder_instructions(), 1, 0};
            need.issue = {work.commands, reorder_instructions(), 1, 0};
            need.last_command = last;
            need.end_as_first = times_.issue(need.begin) + need.engines;
            known->second.push_back(need);
        }
        drop_worse(known->second);
        return known->second;
    }

    void consider(const Values& lies) {
        Steps steps;
        Picoseconds least{};
        const auto add_step = [&](const std::vector<StepNeed>& needs) {
            steps.push_back(&needs);
            if (needs.empty()) return false;
            least += std::ranges::min_element(needs, {}, &StepNeed::engines)->engines;
            return true;
        };
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            for (const auto& [value, own] : lies) {
                const bool is_taken = own == Lies::kBoth && taker_of(value) == i;
                if (is_taken && !add_step(reorder(value, Reorder::kChannelFirst))) return;
            }
            if (!add_step(needs_of(pieces_[i], lies))) return;
            for (const auto& [value, own] : lies) {
                const bool is_made = own == Lies::kBoth && maker_of(value) == i;
                if (is_made && !add_step(reorder(value, Reorder::kRowMajor))) return;
            }
            if (least_ && least >= *least_) return;
        }
        add(steps, 0, {}, {});
    }

    /// Adds the steps from `index` on. The steps before end at `before` and have the issue work
    /// `issue`.
    void add(const Steps& steps, std::size_t index, Picoseconds before, const IssueNeed& issue) {
        if (least_ && before >= *least_) return;
        if (index == steps.size()) {
            least_ = before;
            return;
        }
        for (const StepNeed& need : *steps[index]) {
            // The step's first command is issued after all commands of the previous steps.
            IssueNeed begin = issue, all = issue;
            begin.add(need.begin);
            all.add(need.issue);
            const Picoseconds end = index == 0
                                        ? need.end_as_first
                                        : std::max(before, times_.issue(begin)) + need.engines;
            add(steps, index + 1, std::max(end, times_.issue(all) + need.last_command), all);
        }
    }

    const std::vector<StepNeed>& needs_of(const Piece& piece, const Values& lies) {
        std::vector<Lies> own;
        for (const TensorIndex value : piece.values) own.push_back(lies.at(value));
        const auto [known, is_new] =
            needs_.try_emplace({piece.begin, piece.end, piece.is_kernel, own});
        if (!is_new) return known->second;
        const std::vector<std::uint32_t> operators = operators_of(piece);
        if (!piece.is_kernel) {
            known->second = group_needs(piece, operators, lies);
        } else if (const auto more = time_of_pieces(piece, operators, lies)) {
            known->second = kernel_needs(block_, operators, *more, host_);
        }
        return known->second;
    }
    /// Returns the needs of a layer group. Groups take feature maps in the planner's order, but an
    /// operator with windows at the start may take a reordered copy.
    std::vector<StepNeed> group_needs(const Piece& piece,
                                      const std::vector<std::uint32_t>& operators,
                                      const Values& lies) {
        const graph::Operator& first = block_.operators[operators.front()];
        std::set<TensorIndex> row_major;
        for (const TensorIndex value : piece.values) {
            if (order_of(value) == Lies::kRowMajor) row_major.insert(value);
        }
        const Picoseconds most =
            least_.value_or(Picoseconds{std::numeric_limits<std::int64_t>::max()});
        std::vector<StepNeed> needs = groups_.of(operators, row_major, most);
        const auto copied = lies.find(first.inputs[0]);
        const bool has_copy = copied != lies.end() && copied->second == Lies::kBoth;
        if (!is_by_channel(block_, first) || !has_copy) return needs;
        row_major.erase(first.inputs[0]);
        const std::vector<StepNeed> others = groups_.of(operators, row_major, most);
        needs.insert(needs.end(), others.begin(), others.end());
        drop_worse(needs);
        return needs;
    }
    /// Returns the additional time for operands in another order than that of the kernel. Returns
    /// no value if the kernel is impossible, because windows need channel-first feature maps.
    std::optional<Picoseconds> time_of_pieces(const Piece& piece,
                                              const std::vector<std::uint32_t>& operators,
                                              const Values& lies) const {
        const graph::Operator& first = block_.operators[operators.front()];
        const bool by_channel = is_by_channel(block_, first);
        const TensorIndex result = block_.operators[operators.back()].outputs[0];
        Picoseconds row_major{}, channel_first{};
        for (const TensorIndex value : piece.values) {
            const bool is_fixed = by_channel && (value == first.inputs[0] || value == result);
            if (is_fixed && lies.at(value) == Lies::kRowMajor) return std::nullopt;
            if (is_fixed) continue;
            const auto elements =
                static_cast<std::int64_t>(*graph::element_count(block_.tensors[value].shape));
            (order_of(value) == Lies::kRowMajor ? row_major : channel_first) +=
                times_.pieces_of_one(elements);
        }
        return by_channel ? row_major : std::min(row_major, channel_first);
    }

    const graph::Block& block_;
    std::set<TensorIndex> wanted_;
    std::vector<std::uint32_t> operators_;
    pricing::MachineHost& host_;
    EngineTimes times_;
    GroupNeeds groups_;
    std::vector<planning::StorageOrder> orders_;
    std::vector<Piece> pieces_;
    std::map<std::tuple<std::size_t, std::size_t, bool, std::vector<Lies>>, std::vector<StepNeed>>
        needs_;
    std::map<std::pair<TensorIndex, Reorder>, std::vector<StepNeed>> reorders_;
    std::optional<Picoseconds> least_;
};

bool is_known(const graph::Block& block, const graph::Operator& op) {
    if (op.outputs.size() != 1 || !is_ordered(block.output(op, 0))) return false;
    const graph::TensorShape& result = block.output(op, 0).shape;
    if (result[0] * result[1] > kMostSlices) return false;
    const bool by_channel = is_by_channel(block, op);
    if (!by_channel && !is_by_element(block, op)) return false;
    if (!is_ordered(block.input(op, 0)) || block.input(op, 0).has_data) return false;
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
        if (by_channel != block.input(op, i).has_data) return false;
    }
    return true;
}

bool is_known(const models::MachineParams& machine) {
    const isa::MachineShape shape = machine.shape();
    return !isa::has_feature(shape, isa::Feature::kDmaLayout) &&
           !isa::has_feature(shape, isa::Feature::kDmaIndex) &&
           machine.chip->compute_engines == 1 &&
           machine.gdma->alignment_bytes <= static_cast<std::int64_t>(planning::kValueAlignment);
}

}  // namespace

std::optional<Picoseconds> least_over_cuts_into_steps(const BoundScope& scope,
                                                      pricing::MachineHost& host) {
    if (!scope.is_launch || !is_known(host.params())) return std::nullopt;
    std::vector<std::uint32_t> operators;
    for (const std::uint32_t op : scope.operators) {
        const graph::Operator& own = scope.block.operators[op];
        if (graph::is_constant(own)) continue;
        if (!is_known(scope.block, own)) return std::nullopt;
        operators.push_back(op);
    }
    if (operators.empty() || operators.size() > kMostCutOperators) return std::nullopt;
    return StepCuts(scope, std::move(operators), host).least();
}

}  // namespace okksim::sim::bound
