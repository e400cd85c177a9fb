// SPDX-License-Identifier: Apache-2.0
#include "models/memory/undefined_ranges.h"

#include <algorithm>
#include <iterator>

namespace okksim::models {

void UndefinedRanges::set(std::uint64_t begin, std::uint64_t end, const UndefinedSource& source) {
    if (begin >= end) return;
    clear(begin, end);
    // Adjacent elements of a row arrive one after the other and are merged.
    auto next = ranges_.lower_bound(begin);
    if (next != ranges_.begin()) {
        const auto before = std::prev(next);
        if (before->second.end == begin && before->second.source == source) {
            before->second.end = end;
            return;
        }
    }
    ranges_.emplace_hint(next, begin, Range{end, source});
}

void UndefinedRanges::clear(std::uint64_t begin, std::uint64_t end) {
    if (ranges_.empty() || begin >= end) return;
    auto at = ranges_.lower_bound(begin);
    if (at != ranges_.begin()) {
        const auto before = std::prev(at);
        const Range whole = before->second;
        if (whole.end > begin) {
            before->second.end = begin;
            if (whole.end > end) ranges_.emplace(end, whole);
        }
    }
    while (at != ranges_.end() && at->first < end) {
        const Range whole = at->second;
        at = ranges_.erase(at);
        if (whole.end > end) ranges_.emplace(end, whole);
    }
}

std::optional<UndefinedRanges::Found> UndefinedRanges::find(std::uint64_t begin,
                                                            std::uint64_t end) const {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second.end > begin) --at;
    if (at == ranges_.end() || at->first >= end) return std::nullopt;
    return Found{std::max(begin, at->first), at->second.end, at->second.source};
}

}  // namespace okksim::models
