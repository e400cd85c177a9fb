// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace okksim::kernels::conv {

/// Tiles in the buffers, as recorded by the control processor. A new tile replaces the least
/// recently used one. With two buffers the tile in use therefore stays while the next one loads.
class TileCache {
 public:
    explicit TileCache(int slots) : entries_(static_cast<std::size_t>(slots)) {}

    struct Place {
        int slot = 0;
        bool fresh = false;  ///< the tile must be loaded
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
    /// More slots need heap memory.
    static constexpr std::size_t kUsualSlots = 8;
    struct Entry {
        std::int64_t key = -1;
        std::int64_t used = 0;
    };
    boost::container::small_vector<Entry, kUsualSlots> entries_;
    std::int64_t clock_ = 0;
};

}  // namespace okksim::kernels::conv
