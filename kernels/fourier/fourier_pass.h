// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/fourier/fourier_roots.h"
#include "kernels/planning/decisions.h"
#include "kernels/tiling/local_planes.h"

/// One-dimensional discrete Fourier transforms, not normalised (TOSA 1.0.1, 2.3.6): in the lanes,
/// or, where they are too long or too few for that, in two passes through L2-SRAM.
namespace okksim::kernels {

/// fp32 complex numbers in system memory: real and imaginary parts in two places with the same
/// strides (elements) over batches, lines and the axis that is transformed.
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

/// How transforms go through the lanes, `width` lines side by side in each.
struct LanePlan {
    Lanes lanes;
    bool over_batches = false;  ///< one line: batches take the place of lines
    std::int32_t width = 1;
    std::int64_t channels = 1;  ///< most of a tile: groups of lines, or batches
    int buffers = 1;
    LocalPlanes in, out, factors;   ///< real and imaginary part of every buffer
    LocalPlanes difference, roots;  ///< real and imaginary part

    std::int64_t tiles(const FourierSize& size) const;
    /// Of all tiles, the first one's being 1.
    double volume(const FourierSize& size) const;
};

struct TransformPlan {
    std::int32_t columns = 0;     ///< of the matrix of two passes; 0: in the lanes
    std::vector<LanePlan> lanes;  ///< of all, or of the parts (two_passes())

    std::uint64_t argument_words() const { return 1 + kernels::argument_words(lanes); }
};

/// What an operator's transforms do, in their order.
struct FourierPlan {
    std::vector<TransformPlan> transforms;

    std::uint64_t argument_words() const { return kernels::argument_words(transforms); }
};

/// Planner: the fastest way.
TransformPlan plan_transform(const Transform& transform, Host& host);
/// Every plan that plan_transform chooses among, each with its fastest passes.
std::vector<TransformPlan> transform_candidates(const Transform& transform, Host& host);
/// Every way through the lanes; none when not even one line fits.
std::vector<LanePlan> lane_candidates(const Transform& transform, const isa::MachineShape& machine);

/// The parts of one line's transform over a matrix at `memory`: columns with factors, then rows, of
/// which some have a result more than others.
std::vector<Transform> two_passes(const Transform& transform, std::int32_t columns,
                                  std::int64_t batch, std::int64_t line, std::uint64_t memory);

/// Firmware.
void run_transform(const Transform& transform, const TransformPlan& plan);

}  // namespace okksim::kernels
