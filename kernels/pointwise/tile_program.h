// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/static_vector.hpp>
#include <span>
#include <vector>

#include "kernels/pointwise/float_body.h"
#include "kernels/tiling/nd_tiles.h"

namespace okksim::kernels {

/// Floating-point followers as work on a tile of fp32 words. Every value has a plane, which is free
/// after the last operator that reads the value.
class TileProgram {
 public:
    TileProgram() = default;
    explicit TileProgram(std::span<const Follower> followers);

    /// Scratch planes of the tile's shape that run() needs.
    int planes() const;
    /// Operands in memory, of the shape and type of the tile's tensor: the caller loads them.
    std::span<const DeviceTensor> stored() const { return {stored_.data(), stored_.size()}; }
    /// Replaces the first operator's result in `tile` (aligned layout) by that of the last
    /// follower. `stored`: the tiles of stored(), which are only read.
    void run(const prim::LocalTensor& tile, std::span<const prim::LocalTensor> stored,
             prim::Scratch& scratch) const;

 private:
    struct Step {
        FloatBody body;
        boost::container::static_vector<int, kMaxOperands>
            operands;  ///< planes; 0 is the tile; below zero: ~position in stored()
        int result = 0;
    };

    std::vector<Step> steps_;
    boost::container::static_vector<DeviceTensor, kMaxOperands> stored_;
    int value_planes_ = 0;  ///< in addition to the tile
};

}  // namespace okksim::kernels
