// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/fourier/root_table.h"
#include "kernels/planning/decisions.h"
#include "kernels/tiling/local_planes.h"

namespace okksim::kernels {

/// fp32 complex numbers in system memory. Real and imaginary parts have separate addresses and the
/// same strides (elements) over batches, lines and the transformed axis.
struct ComplexRegion {
    std::uint64_t real = 0;
    std::optional<std::uint64_t> imaginary;  ///< absent: zero
    std::int64_t batch_stride = 0, line_stride = 0, axis_stride = 0;
};

struct FourierSize {
    std::int32_t batches = 1, lines = 1;
    std::int32_t length = 1;  ///< of the transform: a power of two
    std::int32_t kept = 1;    ///< the first `kept` results are stored
};

/// Transforms of every line of `from` into `to`, which may be the same region.
struct Transform {
    FourierSize size;
    ComplexRegion from, to;
    /// Numbers that results are multiplied by, with the strides of `to`.
    std::optional<ComplexRegion> factors;
    RootTable roots;  ///< of size.length, or of a multiple of it
};

/// Plan of transforms in the lanes, with `width` lines side by side in each lane.
struct LanePlan {
    Lanes lanes;
    bool over_batches = false;  ///< there is one line per batch, so the lanes hold batches
    std::int32_t width = 1;
    std::int64_t channels = 1;  ///< most channels of a tile: groups of lines, or batches
    int buffers = 1;
    LocalPlanes in, out, factors;   ///< real and imaginary part of every buffer
    LocalPlanes difference, roots;  ///< real and imaginary part

    std::int64_t tiles(const FourierSize& size) const;
    /// Volume of all tiles, relative to the first one.
    double volume(const FourierSize& size) const;
};

struct TransformPlan {
    std::int32_t columns = 0;     ///< of the matrix of two passes; 0: in the lanes
    std::vector<LanePlan> lanes;  ///< of all, or of the parts (two_passes())

    std::uint64_t argument_words() const { return 1 + kernels::argument_words(lanes); }
};

/// The transforms of an operator in order.
struct FourierPlan {
    std::vector<TransformPlan> transforms;

    std::uint64_t argument_words() const { return kernels::argument_words(transforms); }
};

}  // namespace okksim::kernels
