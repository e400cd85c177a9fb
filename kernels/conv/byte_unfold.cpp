// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/byte_unfold.h"

#include <algorithm>

#include "firmware/okk_features.h"
#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/call/computing.h"

namespace okksim::kernels::conv {
namespace {

/// Output columns whose tap is inside the feature map.
Range columns_inside(const WindowAxis& x, std::int32_t tap) {
    const std::int64_t shift = x.pad - std::int64_t{tap} * x.spacing;  // input o * step - shift
    const auto from = [&](std::int64_t input) {
        return std::clamp<std::int64_t>(isa::div_up(input + shift, x.step), 0, x.output);
    };
    return {isa::narrow(shift > 0 ? from(0) : 0),
            isa::narrow(x.input + shift > 0 ? from(x.input) : 0)};
}

/// Channels of one tap of a tile.
class TapChannels {
 public:
    TapChannels(const Problem& problem, const UnfoldedTile& tile, const Lanes& lanes,
                std::int32_t tap)
        : problem_(problem), tile_(tile) {
        const std::int64_t plane =
            lanes.whole_line_bytes(std::int64_t{tile.rows.count} * problem.x.output);
        const std::int32_t first = tap * problem.input_channels;
        to_ = tile.to +
              static_cast<local_addr_t>(first % lanes.count) * okk_local_mem_size_per_npu() +
              static_cast<local_addr_t>(first / lanes.count * plane);
        const std::int64_t slots =
            lanes.slots(std::int64_t{problem.input_channels} * problem.x.taps);
        stride_ = {isa::narrow(plane * slots), isa::narrow(plane), problem.x.output, 1};
    }

    void fill(const Range& columns) const {
        if (columns.size() <= 0) return;
        x8 zero;
        zero.s8 = static_cast<signed char>(*problem_.input_zero.value);
        const dim4 shape = shape_of(columns);
        okk_gdma_8bit_set_C_local(to_ + static_cast<local_addr_t>(columns.begin), zero, &shape,
                                  &stride_);
    }
    /// `first`: the input column of the first output column.
    void load(const Range& columns, std::int64_t first) const {
        if (columns.size() <= 0) return;
        const FeatureMaps& maps = problem_.input;
        const dim4 shape = shape_of(columns);
        const dim4 system{isa::narrow(maps.image), isa::narrow(maps.channel), isa::narrow(maps.y),
                          isa::narrow(maps.x * problem_.x.step)};
        const std::int64_t element =
            tile_.images.begin * maps.image + tile_.rows.first * maps.y + first * maps.x;
        okk_gdma_transpose_S2L(to_ + static_cast<local_addr_t>(columns.begin),
                               maps.address + static_cast<std::uint64_t>(element), &shape, &stride_,
                               &system, OKK_INT8);
    }

 private:
    dim4 shape_of(const Range& columns) const {
        return {tile_.images.size(), problem_.input_channels, tile_.rows.count, columns.size()};
    }

    const Problem& problem_;
    const UnfoldedTile& tile_;
    local_addr_t to_ = 0;
    dim4 stride_{};
};

}  // namespace

bool can_unfold(const Problem& problem, const Lanes& lanes) {
    // Commands with few input channels wait for pixels; those with more do not gain from unfolding.
    constexpr std::int32_t kMostChannels = 16;
    const Weights& weights = problem.weights;
    return lanes.has(isa::Feature::kDmaLayout) && problem.kind == ProblemKind::kFull &&
           problem.input.type == tosa::DType::kI8 && problem.x.taps > 1 &&
           problem.input_channels <= kMostChannels &&
           problem.input_channels * problem.x.taps <= isa::kMostChannels &&
           // Inputs of neighbouring taps are adjacent, as channels are.
           weights.x == weights.input * problem.input_channels;
}

Problem unfolded(const Problem& problem) {
    Problem result = problem;
    result.input_channels *= problem.x.taps;
    result.x = WindowAxis{};
    result.x.input = result.x.output = problem.x.output;
    return result;
}

Problem folded(const Problem& problem) {
    const WindowAxis& x = problem.x;
    const bool is_pixel = problem.kind == ProblemKind::kFull && x.input == 1 && x.output == 1 &&
                          x.taps == 1 && x.pad == 0;
    if (!is_pixel) return problem;
    std::int32_t parts = isa::narrow(isa::div_up(problem.input_channels, isa::kMostChannels));
    while (problem.input_channels % parts != 0) ++parts;
    if (parts == 1 || parts > isa::kMostWindowExtent) return problem;
    Problem result = problem;
    result.input_channels /= parts;
    result.x.input = result.x.taps = parts;
    result.input.x = problem.input.channel * result.input_channels;
    result.weights.x = problem.weights.input * result.input_channels;
    return result;
}

void load_unfolded(const Problem& problem, const UnfoldedTile& tile, const Lanes& lanes) {
    const WindowAxis& x = problem.x;
    for (std::int32_t tap = 0; tap < x.taps; ++tap) {
        charge(OwnWork::kTransfer);
        const TapChannels channels(problem, tile, lanes, tap);
        const Range inside = columns_inside(x, tap);
        const std::int32_t end = std::max(inside.begin, inside.end);
        channels.fill({0, inside.begin});
        channels.load({inside.begin, end},
                      std::int64_t{inside.begin} * x.step + std::int64_t{tap} * x.spacing - x.pad);
        channels.fill({end, x.output});
    }
}

}  // namespace okksim::kernels::conv
