// SPDX-License-Identifier: Apache-2.0
#include "kernels/planning/local_room.h"

#include <algorithm>
#include <utility>

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

LocalRoom::Taken LocalRoom::taken(int first, int last) const {
    Taken taken;
    taken.room_ = this;
    for (const Block& block : by_end_) {
        if (block.last < first || last < block.first) continue;
        taken.ranges_.push_back({{block.begin, block.end}, block.last});
    }
    return taken;
}

void LocalRoom::Taken::avoid(std::vector<Addresses> avoided) {
    avoided_ = std::move(avoided);
    std::sort(avoided_.begin(), avoided_.end(),
              [](const Addresses& a, const Addresses& b) { return a.end > b.end; });
}

std::optional<std::int64_t> LocalRoom::Taken::find_last(std::int64_t bytes, int first) const {
    std::int64_t free = room_->end_;
    auto avoided = avoided_.begin();
    const auto pass = [&](const Addresses& addresses) {
        const bool has_room = addresses.end + bytes <= free;
        if (!has_room) free = std::min(free, addresses.begin);
        return !has_room;
    };
    // Proceeds from the highest end down, until there is room above a block.
    const auto pass_avoided = [&](std::int64_t above) {
        while (avoided != avoided_.end() && avoided->end > above) {
            if (!pass(*avoided++)) return false;
        }
        return true;
    };
    bool goes_on = true;
    for (const Range& range : ranges_) {
        if (range.last < first) continue;
        goes_on = pass_avoided(range.addresses.end) && pass(range.addresses);
        if (!goes_on) break;
    }
    if (goes_on) pass_avoided(room_->begin_);
    if (free - bytes < room_->begin_) return std::nullopt;
    return (free - bytes) / room_->line_ * room_->line_;
}

void LocalRoom::take(std::int64_t address, std::int64_t bytes, int first, int last) {
    const Block block{address, isa::align_up(address + bytes, line_), first, last};
    const auto at = std::upper_bound(
        blocks_.begin(), blocks_.end(), address,
        [](std::int64_t value, const Block& other) { return value < other.begin; });
    blocks_.insert(at, block);
    const auto above =
        std::upper_bound(by_end_.begin(), by_end_.end(), block.end,
                         [](std::int64_t end, const Block& other) { return end > other.end; });
    by_end_.insert(above, block);
}

std::optional<std::int64_t> LocalRoom::place(std::int64_t bytes, int first, int last) {
    const std::optional<std::int64_t> address = find(bytes, first, last);
    if (address) take(*address, bytes, first, last);
    return address;
}

}  // namespace okksim::kernels
