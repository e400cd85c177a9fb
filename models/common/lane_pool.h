// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace okksim::models {

/// Runs independent pieces of one command on a fixed set of threads. With one thread everything
/// runs on the caller. Pieces never share results, so the outcome does not depend on the thread
/// count.
class LanePool {
 public:
    explicit LanePool(int threads = 1);
    ~LanePool();

    int threads() const;

    /// Calls body(begin, end) over disjoint ranges that cover [0, count). `cost_per_item` is a
    /// rough number of nanoseconds per item; small jobs stay on the caller. Exceptions are rethrown
    /// here.
    void parallel_for(std::int64_t count, double cost_per_item,
                      const std::function<void(std::int64_t, std::int64_t)>& body);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Sets flush-to-zero, denormals-are-zero and round-to-nearest for the calling thread while alive.
class FlushDenormals {
 public:
    FlushDenormals();
    ~FlushDenormals();
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
    unsigned saved_;
};

}  // namespace okksim::models
