// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/order_need.h"

#include <algorithm>

namespace okksim::sim::bound {
namespace {

using graph::TensorIndex;
using models::Picoseconds;

/// Maximum operators of a region for which all combinations of orders are tried.
constexpr std::size_t kMostOperators = 8;

}  // namespace

OrderNeeds::OrderNeeds(const BoundScope& scope, const std::map<TensorIndex, NeededPart>& parts,
                       pricing::MachineHost& host)
    : scope_(scope),
      parts_(parts),
      host_(host),
      times_(host.params()),
      wanted_(scope.wanted.begin(), scope.wanted.end()) {
    if (!scope.is_launch) return;
    for (const std::uint32_t op : scope.operators) add_uses(op);
    for (const auto& [value, uses] : uses_) {
        if (!uses.is_made && uses.is_read_by_channel) {
            turns_.push_back(turn(value, true, uses.by_channel));
        }
        if (uses.is_made_by_channel && wanted_.contains(value)) {
            turns_.push_back(turn(value, false, {true}));
        }
    }
}

NeededPart OrderNeeds::part_of(TensorIndex value) const {
    const auto known = parts_.find(value);
    return known == parts_.end() ? NeededPart{} : known->second;
}

void OrderNeeds::add_uses(std::uint32_t index) {
    const graph::Block& block = scope_.block;
    const graph::Operator& op = block.operators[index];
    for (const TensorIndex value : op.outputs) {
        if (is_ordered(block.tensors[value])) uses_[value].is_made = true;
    }
    if (op.outputs.size() != 1 || !part_of(op.outputs[0]).any()) return;
    const bool by_channel = is_by_channel(block, op);
    const bool by_element = !by_channel && is_by_element(block, op);
    if (!by_channel && !by_element) return;
    const TensorIndex result = op.outputs[0];
    if (by_element && is_ordered(block.tensors[result])) operators_.push_back(index);
    if (is_ordered(block.tensors[result])) {
        uses_[result].is_made_by_channel = by_channel;
        if (by_element) uses_[result].makers.push_back(index);
    }
    for (std::size_t i = 0; i < (by_channel ? 1 : op.inputs.size()); ++i) {
        const graph::Tensor& tensor = block.tensors[op.inputs[i]];
        if (tensor.has_data || !is_ordered(tensor)) continue;
        Uses& uses = uses_[op.inputs[i]];
        uses.is_read_by_channel |= by_channel;
        if (by_channel) uses.by_channel.widen(read_part(block, op, i, part_of(result)));
        if (by_element) uses.readers.push_back(index);
    }
}

Picoseconds OrderNeeds::of_others() const {
    Picoseconds sum{};
    for (const Region& region : regions()) {
        if (region.size() > kMostOperators) continue;
        const std::uint32_t all = (1u << region.size()) - 1;
        Picoseconds least = of_region(region, all);
        for (std::uint32_t by_channel = 0; by_channel < all; ++by_channel) {
            if (least.value == 0) break;
            least = std::min(least, of_region(region, by_channel));
        }
        sum += least;
    }
    return sum;
}

std::vector<OrderNeeds::Region> OrderNeeds::regions() const {
    // Operators with a common value belong to the same region.
    std::map<std::uint32_t, std::size_t> region_of;
    std::vector<Region> regions;
    for (const auto& [value, uses] : uses_) {
        Region together = uses.makers;
        together.insert(together.end(), uses.readers.begin(), uses.readers.end());
        Region merged;
        for (const std::uint32_t op : together) {
            const auto known = region_of.find(op);
            if (known == region_of.end()) {
                if (std::ranges::find(merged, op) == merged.end()) merged.push_back(op);
                continue;
            }
            for (const std::uint32_t other : std::exchange(regions[known->second], {})) {
                if (std::ranges::find(merged, other) == merged.end()) merged.push_back(other);
            }
        }
        for (const std::uint32_t op : merged) region_of[op] = regions.size();
        regions.push_back(std::move(merged));
    }
    return regions;
}

Picoseconds OrderNeeds::of_region(const Region& region, std::uint32_t by_channel) const {
    Picoseconds sum{};
    const auto is_of_region = [&](const std::vector<std::uint32_t>& operators) {
        return !operators.empty() && std::ranges::find(region, operators.front()) != region.end();
    };
    for (const auto& [value, uses] : uses_) {
        if (!is_of_region(uses.makers) && !is_of_region(uses.readers)) continue;
        sum += of_value(value, region, by_channel);
    }
    return sum;
}

Picoseconds OrderNeeds::of_value(TensorIndex value, const Region& region,
                                 std::uint32_t by_channel) const {
    const auto is_by_channel = [&](std::uint32_t op) {
        return (by_channel >> (std::ranges::find(region, op) - region.begin()) & 1) != 0;
    };
    const Uses& uses = uses_.at(value);
    const bool is_read_by_channel =
        uses.is_read_by_channel || std::ranges::any_of(uses.readers, is_by_channel);
    const bool is_read_row_major = !std::ranges::all_of(uses.readers, is_by_channel);
    const bool is_wanted = wanted_.contains(value);
    const NeededPart part = part_of(value);
    if (!uses.is_made) {
        const bool is_counted = uses.is_read_by_channel;
        return is_read_by_channel && !is_counted ? turn(value, true, part).least() : Picoseconds{};
    }
    const bool is_element_wise = !uses.makers.empty();
    if (!is_element_wise && !uses.is_made_by_channel) return {};
    const bool is_made_by_channel =
        is_element_wise ? is_by_channel(uses.makers.front()) : uses.is_made_by_channel;
    Picoseconds sum{};
    if (is_made_by_channel) {
        if (is_wanted && is_element_wise) sum += turn(value, false, part).least();
        if (!is_read_row_major) return sum;
        sum += load(value);
        if (!is_wanted) sum += store(value) + turn(value, false, part).least();
    } else if (is_read_by_channel) {
        sum += load(value) + turn(value, true, part).least();
        if (!is_wanted) sum += store(value);
    }
    return sum;
}

Turn OrderNeeds::turn(TensorIndex value, bool is_given, const NeededPart& part) const {
    const graph::Tensor& tensor = scope_.block.tensors[value];
    const Reorder reorder = is_given ? Reorder::kChannelFirst : Reorder::kRowMajor;
    Picoseconds by_pieces = times_.pieces_of_one(part.elements_of(tensor));
    if (is_given && !part.all && part.reach > part.rows) {
        // Layers load all rows within a slice's reach: either the rows in between, or more slices.
        NeededPart between = part;
        between.rows = part.reach - part.rows;
        const std::int64_t elements = between.elements_of(tensor);
        const auto bytes = part_bytes(tensor, between);
        const std::int64_t slices = part.rows - 1;
        by_pieces += std::min(times_.pieces_of_one(elements) + times_.traffic({.read = bytes}),
                              times_.traffic({.loads = slices}));
    }
    return {value, is_given, by_pieces, by_step(tensor.shape, reorder)};
}

Picoseconds OrderNeeds::by_step(const graph::TensorShape& shape, Reorder reorder) const {
    if (scope_.operators.size() > kMostPlanned) {
        return times_.copy(shape[0] * shape[1] * shape[2] * shape[3]);
    }
    const auto [known, is_new] = steps_.try_emplace({{shape.begin(), shape.end()}, reorder});
    if (is_new) known->second = reorder_time(shape, reorder, host_);
    return known->second;
}

Picoseconds OrderNeeds::load(TensorIndex value) const {
    const std::uint64_t bytes = part_bytes(scope_.block.tensors[value], part_of(value));
    return times_.traffic({.read = bytes, .loads = 1});
}

Picoseconds OrderNeeds::store(TensorIndex value) const {
    const std::uint64_t bytes = part_bytes(scope_.block.tensors[value], part_of(value));
    return times_.traffic({.written = bytes, .stores = 1});
}

}  // namespace okksim::sim::bound
