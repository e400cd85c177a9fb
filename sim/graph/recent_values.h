// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "sim/graph/shared_value.h"

namespace okksim::sim::graph {

/// The last few different values: equal ones that follow are shared with them.
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
