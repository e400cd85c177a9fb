// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace okksim::kernels {

/// Output positions of a stretch that are sampled at regular distances. Every `out_step`-th one is
/// `in_step` input positions further and has the same weights. Positions count from the start of
/// the output stretch and of the input stretch that it needs.
struct ResizeTap {
    std::int32_t out = 0;
    std::int32_t count = 0;
    std::int32_t in = 0;        ///< position of the lower neighbour
    std::int32_t fraction = 0;  ///< weight of the upper neighbour, of the scale's numerator
};

/// One dimension of RESIZE (TOSA 1.0.1, section 2.12.1). Output position o is at input position (o
/// * denominator + offset) / numerator. Input positions are -1 to `in`: those outside the image
/// repeat its border.
struct ResizeAxis {
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
    std::int64_t offset = 0;
    std::int64_t in = 1;
    std::int64_t out = 1;

    /// Lower neighbour of an output position, -1 ... in - 1.
    std::int64_t lower(std::int64_t position) const;
    std::int64_t fraction(std::int64_t position) const;
    /// Input positions, from lower(begin) on, that the outputs [begin, end) need.
    std::int64_t in_extent(std::int64_t begin, std::int64_t end) const;
    std::int64_t out_step() const;
    std::int64_t in_step() const;
    /// All outputs of [begin, end), each in one tap.
    std::vector<ResizeTap> taps(std::int64_t begin, std::int64_t end) const;
};

}  // namespace okksim::kernels
