// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "isa/layout.h"
#include "isa/operands.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"

namespace okksim::tests {

/// Random commands and memory contents for the differential tests; equal seeds give equal cases.
class LayerCases {
 public:
    LayerCases(std::uint32_t seed, std::int32_t lanes, std::int64_t bytes_per_lane)
        : random_(seed), lanes_(lanes), bytes_per_lane_(bytes_per_lane) {}

    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool chance(int percent) { return pick(1, 100) <= percent; }

    /// Fills all of local memory: mostly ordinary numbers; `special` adds NaN, infinities,
    /// denormals and signed zeros.
    void fill(models::LocalMemory& memory, bool special);

    /// The start of a tensor of `floats_per_lane` floats in a lane; tensors made one after another
    /// do not overlap until restart().
    isa::LocalAddr place(std::int32_t lane, std::int64_t floats_per_lane, int alignment);
    void restart() { used_ = 0; }
    /// True if all tensors so far fit the lane.
    bool fits() const { return used_ <= bytes_per_lane_; }
    std::int64_t used_bytes() const { return used_; }

    isa::Convolution convolution();
    isa::Depthwise depthwise();
    isa::Pool pool();
    isa::PoolScaled scaled_pool();
    isa::MatrixMultiply matmul();

 private:
    isa::Dim4 feature_map(int max_c, int max_hw);
    std::int64_t aligned_floats(std::int32_t lane, const isa::Dim4& shape) const;
    isa::LocalAddr place_aligned(std::int32_t lane, const isa::Dim4& shape);

    std::mt19937 random_;
    std::int32_t lanes_;
    std::int64_t bytes_per_lane_;
    std::int64_t used_ = 0;
};

using LayerFunction = std::function<void(models::LocalMemory&)>;

/// Runs `actual` and `expected` on copies of `memory`. Returns an empty string if all bytes agree,
/// else a description of the first difference.
std::string compare_on_copies(const models::LocalMemory& memory, const LayerFunction& actual,
                              const LayerFunction& expected);

}  // namespace okksim::tests
