// SPDX-License-Identifier: Apache-2.0
#include "kernels/planning/local_room.h"

#include <algorithm>

#include "isa/layout.h"

namespace okksim::kernels {

std::optional<std::int64_t> LocalRoom::find(std::int64_t bytes, int first, int last) const {
    std::int64_t free = begin_;
    for (const Block& block : blocks_) {
        if (block.last < first || last < block.first) continue;
        if (free + bytes <= block.begin) break;
        free = std::max(free, block.end);
    }
    if (free + bytes > end_) return std::nullopt;
    return free;
}

LocalRoom::Taken LocalRoom::taken(int first, int last,
                                  const std::vector<Addresses>& avoided) const {
    Taken taken;
    taken.room_ = this;
    for (const Addresses& addresses : avoided) taken.ranges_.push_back({addresses, last});
    for (const Block& block : blocks_) {
        if (block.last < first || last < block.first) continue;
        taken.ranges_.push_back({{block.begin, block.end}, block.last});
    }
    std::sort(taken.ranges_.begin(), taken.ranges_.end(),
              [](const Taken::Range& a, const Taken::Range& b) {
                  return a.addresses.end > b.addresses.end;
              });
    return taken;
}

std::optional<std::int64_t> LocalRoom::Taken::find_last(std::int64_t bytes, int first) const {
    std::int64_t free = room_->end_;
    for (const Range& range : ranges_) {
        if (range.last < first) continue;
        if (range.addresses.end + bytes <= free) break;
        free = std::min(free, range.addresses.begin);
    }
    const std::int64_t address = (free - bytes) / room_->line_ * room_->line_;
    if (free - bytes < room_->begin_) return std::nullopt;
    return address;
}

void LocalRoom::take(std::int64_t address, std::int64_t bytes, int first, int last) {
    const Block block{address, isa::align_up(address + bytes, line_), first, last};
    const auto at = std::upper_bound(
        blocks_.begin(), blocks_.end(), address,
        [](std::int64_t value, const Block& other) { return value < other.begin; });
    blocks_.insert(at, block);
}

std::optional<std::int64_t> LocalRoom::place(std::int64_t bytes, int first, int last) {
    const std::optional<std::int64_t> address = find(bytes, first, last);
    if (address) take(*address, bytes, first, last);
    return address;
}

}  // namespace okksim::kernels
