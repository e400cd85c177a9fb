// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace okksim::kernels::conv {

/// Which tile lies in which buffer: the control processor's own account. The least recently used
/// buffer makes room, so that with two of them the tile in use stays while the next is loaded.
class TileCache {
 public:
    explicit TileCache(int slots) : entries_(static_cast<std::size_t>(slots)) {}

    struct Place {
        int slot = 0;
        bool fresh = false;  ///< the tile was not there: it must be brought
    };
    Place find_or_replace(std::int64_t key) {
        ++clock_;
        std::size_t oldest = 0;
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            if (entries_[i].key == key) {
                entries_[i].used = clock_;
                return {static_cast<int>(i), false};
            }
            if (entries_[i].used < entries_[oldest].used) oldest = i;
        }
        entries_[oldest] = {key, clock_};
        return {static_cast<int>(oldest), true};
    }

 private:
    /// More take memory of the heap.
    static constexpr std::size_t kUsualSlots = 8;
    struct Entry {
        std::int64_t key = -1;
        std::int64_t used = 0;
    };
    boost::container::small_vector<Entry, kUsualSlots> entries_;
    std::int64_t clock_ = 0;
};

}  // namespace okksim::kernels::conv
