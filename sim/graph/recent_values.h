// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "sim/graph/shared_value.h"

namespace okksim::sim::graph {

/// A cache of the last few different values, so that equal values share memory.
template <typename T>
class RecentValues {
 public:
    SharedValue<T> share(T value) {
        for (const SharedValue<T>& known : values_) {
            if (known.get() == value) return known;
        }
        SharedValue<T>& oldest = values_[next_++ % values_.size()];
        oldest = SharedValue<T>(std::move(value));
        return oldest;
    }

 private:
    std::array<SharedValue<T>, 8> values_;
    std::size_t next_ = 0;
};

}  // namespace okksim::sim::graph
