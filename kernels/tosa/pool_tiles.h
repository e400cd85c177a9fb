// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/tensor.h"
#include "kernels/tiling/nd_tiles.h"
#include "kernels/window_fold.h"

namespace okksim::kernels {

/// Sizes of a 2D pooling operator: [y, x].
struct PoolShape {
    std::array<std::int32_t, 2> kernel{}, stride{}, pad_before{}, input{}, output{};
};

/// Part of an axis of a pool tile: outputs [out, out + outputs), and of every window the positions
/// [tap, tap + taps). They cover positions [begin, begin + extent) of the input, of which
/// [valid, valid + valid_extent) exist.
struct PoolSpan {
    std::int32_t out = 0, outputs = 0, tap = 0, taps = 0;
    std::int32_t begin = 0, extent = 0, valid = 0, valid_extent = 0;

    bool padded() const { return valid != begin || valid_extent != extent; }
};

/// One step of a pooling operator: part of the windows of one tile of outputs.
struct PoolStep {
    std::array<PoolSpan, 2> span;          ///< y, x
    std::int32_t channels = 0;             ///< over lanes
    std::array<std::int64_t, 2> offset{};  ///< elements of the output and input: the first channel
    std::array<std::int64_t, 2> channel_stride{};
    bool first = false, last = false;  ///< of the output tile's steps
};

/// Cuts a pooling operator into steps whose padded input fits `words` words per lane (a multiple of
/// 32). Windows that do not fit are cut too. Pure.
std::vector<PoolStep> plan_pool(const PoolShape& shape, const DeviceTensor& input,
                                const DeviceTensor& output, std::int64_t words, int lanes);

/// The window of a span as a fold along its axis.
Window window_of(const PoolSpan& span, std::int32_t stride);

}  // namespace okksim::kernels
