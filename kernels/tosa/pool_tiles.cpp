// SPDX-License-Identifier: Apache-2.0
#include "kernels/tosa/pool_tiles.h"

#include <algorithm>

#include "isa/layout.h"
#include "kernels/narrow.h"

namespace okksim::kernels {
namespace {

constexpr std::int64_t kMostChannels = 4095, kMostRows = 65535;

/// Extents of a step's outputs and window parts, [y, x].
struct TileSize {
    std::array<std::int64_t, 2> outputs{}, taps{};

    std::int64_t extent(const PoolShape& shape, std::size_t axis) const {
        return (outputs[axis] - 1) * shape.stride[axis] + taps[axis];
    }
    std::int64_t words(const PoolShape& shape) const { return extent(shape, 0) * extent(shape, 1); }
};

/// The most outputs along `axis` (up to the limit of all) that keep the tile within `words`; 0 when
/// not even one fits.
std::int64_t most_outputs(const PoolShape& shape, TileSize size, std::size_t axis,
                          std::int64_t words) {
    const std::size_t other = 1 - axis;
    const std::int64_t extent = std::min(words / size.extent(shape, other), kMostRows);
    if (extent < size.taps[axis]) return 0;
    return std::min<std::int64_t>((extent - size.taps[axis]) / shape.stride[axis] + 1,
                                  shape.output[axis]);
}

TileSize choose_size(const PoolShape& shape, std::int64_t words) {
    TileSize size{{shape.output[0], shape.output[1]}, {shape.kernel[0], shape.kernel[1]}};
    // Whole rows, then parts of rows, then parts of one window.
    size.outputs[0] = 1;
    if (size.extent(shape, 1) <= std::min(words / size.extent(shape, 0), kMostRows)) {
        size.outputs[0] = most_outputs(shape, size, 0, words);
        return size;
    }
    size.outputs[1] = 1;
    if (size.words(shape) <= words) {
        size.outputs[1] = most_outputs(shape, size, 1, words);
        return size;
    }
    size.taps[1] = std::min<std::int64_t>(shape.kernel[1], words);
    size.taps[0] = std::clamp<std::int64_t>(words / size.taps[1], 1, shape.kernel[0]);
    return size;
}

/// Parts of the output and the window along an axis; parts that see only padding are left out.
/// `first` and `last` of the pair: whether the part is the first and last of its outputs.
std::vector<std::vector<PoolSpan>> cut_axis(const PoolShape& shape, const TileSize& size,
                                            std::size_t axis) {
    std::vector<std::vector<PoolSpan>> tiles;
    for (std::int64_t out = 0; out < shape.output[axis]; out += size.outputs[axis]) {
        std::vector<PoolSpan> parts;
        for (std::int64_t tap = 0; tap < shape.kernel[axis]; tap += size.taps[axis]) {
            PoolSpan span;
            span.out = narrow(out);
            span.outputs = narrow(std::min(size.outputs[axis], shape.output[axis] - out));
            span.tap = narrow(tap);
            span.taps = narrow(std::min(size.taps[axis], shape.kernel[axis] - tap));
            span.begin = span.out * shape.stride[axis] - shape.pad_before[axis] + span.tap;
            span.extent = (span.outputs - 1) * shape.stride[axis] + span.taps;
            span.valid = std::max(span.begin, 0);
            const std::int32_t end = std::min(span.begin + span.extent, shape.input[axis]);
            span.valid_extent = end - span.valid;
            if (span.valid_extent > 0) parts.push_back(span);
        }
        tiles.push_back(std::move(parts));
    }
    return tiles;
}

}  // namespace

std::vector<PoolStep> plan_pool(const PoolShape& shape, const DeviceTensor& input,
                                const DeviceTensor& output, std::int64_t words, int lanes) {
    const TileSize size = choose_size(shape, words);
    const auto rows = cut_axis(shape, size, 0);
    const auto columns = cut_axis(shape, size, 1);
    const std::int64_t slot = isa::align_up(size.words(shape), std::int64_t{32});
    const std::int64_t slots = std::clamp<std::int64_t>(words / slot, 1, kMostChannels / lanes);
    // Batch and channel: the longer of the two lies over lanes where they do not merge.
    const std::array<std::int32_t, 4> dims{input.dims[0], 1, 1, input.dims[3]};
    std::array<NdStrides, 2> operands{};
    for (std::size_t i = 0; i < 4; ++i) {
        operands[0][i] = output.strides[i];
        operands[1][i] = input.strides[i];
    }
    std::vector<NdAxis> axes = merged_axes(dims, operands);
    if (axes.size() > 1 && axes[1].extent > axes[0].extent) std::swap(axes[0], axes[1]);
    axes.resize(2);
    std::vector<PoolStep> steps;
    for (std::int64_t b = 0; b < axes[1].extent; ++b) {
        for (std::int64_t c = 0; c < axes[0].extent; c += slots * lanes) {
            PoolStep step;
            step.channels = narrow(std::min(slots * lanes, axes[0].extent - c));
            for (std::size_t k = 0; k < 2; ++k) {
                step.offset[k] = b * axes[1].strides[k] + c * axes[0].strides[k];
                step.channel_stride[k] = axes[0].strides[k];
            }
            for (const auto& row : rows) {
                for (const auto& column : columns) {
                    const std::size_t begin = steps.size();
                    for (const PoolSpan& y : row) {
                        for (const PoolSpan& x : column) {
                            step.span = {y, x};
                            steps.push_back(step);
                        }
                    }
                    steps[begin].first = true;
                    steps.back().last = true;
                }
            }
        }
    }
    return steps;
}

Window window_of(const PoolSpan& span, std::int32_t stride) {
    return {span.taps, stride, span.outputs};
}

}  // namespace okksim::kernels
