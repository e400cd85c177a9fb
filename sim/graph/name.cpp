// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/name.h"

#include <deque>
#include <mutex>

namespace okksim::sim::graph {

std::uint64_t Name::pack_long(std::string_view text) {
    static std::mutex mutex;
    static std::deque<std::string_view> views;
    const std::lock_guard lock(mutex);
    return pack(&views.emplace_back(text), kLong);
}

}  // namespace okksim::sim::graph
