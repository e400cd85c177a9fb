// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/planning/decisions.h"
#include "kernels/pool/window_fold.h"
#include "kernels/reduction/combiner.h"
#include "kernels/tiling/local_planes.h"
#include "kernels/tiling/nd_tiles.h"

namespace okksim::kernels {

/// Sizes of a 2D pooling operator: [y, x].
struct PoolShape {
    std::array<std::int32_t, 2> kernel{}, stride{}, pad_before{}, input{}, output{};
};

/// Part of an axis of a pool tile: outputs [out, out + outputs), and the positions [tap, tap +
/// taps) of every window. They cover positions [begin, begin + extent) of the input, of which
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
    bool first = false, last = false;      ///< of the output tile's steps
};

/// Compute commands of a pooling operator apart from combining.
struct PoolStages {
    /// Scratch planes of the tile's shape that `adapt` and `finish` need.
    int planes = 0;
    /// Changes the words of the input, which are in the aligned layout, before they are padded.
    std::function<void(const prim::LocalTensor& words, prim::Scratch& scratch)> adapt;
    /// Converts a tile's results to the output's words, in place, by the constants of its
    /// positions.
    std::function<void(const prim::LocalTensor& words, std::span<const prim::LocalTensor> maps,
                       prim::Scratch& scratch)>
        finish;
    /// Number of planes of constants in system memory, one word per output position, for finish.
    int maps = 0;
    std::uint64_t map_address = 0;
    /// Factor of adapt, and of finish without planes of constants. Commands that combine whole
    /// windows apply it to their terms.
    std::optional<float> weight = std::nullopt;
};

/// Combines every window of `input`, [N, IH, IW, C], into `output`. The forms are those of the
/// words that are combined and of the results.
struct PoolOperator {
    Combiner combiner;
    PoolShape shape;
    DeviceTensor input;
    WordForm in_form = WordForm::kValue;
    DeviceTensor output;
    WordForm out_form = WordForm::kValue;
    PoolStages stages;
    /// Maxima of int8 or int16. Machines with the group int8_mac compute them on packed elements.
    bool is_integer_maximum = false;
};

/// The steps of a pooling operator and its local memory. Operands of the axes' strides: output,
/// input.
struct PoolPlan {
    Lanes lanes;
    NdAxis channels;  ///< distributed over the lanes: channels, batches or both
    NdAxis repeats;   ///< not distributed over the lanes
    std::int32_t step_channels = 1;
    bool packed = false;     ///< a step is one command on packed elements
    bool by_window = false;  ///< one command on words combines the windows of a step
    bool in_place = false;   ///< results are computed in the packed tile
    /// Tiles of outputs along y and x, each as the parts of its windows. Parts with only padding
    /// are left out.
    std::array<std::vector<std::vector<PoolSpan>>, 2> tiles;
    std::array<FoldOrder, 2> folds{};  ///< along y, along x
    int buffers = 1;                   ///< of packed tiles, for input and output
    LocalPlanes in, out;
    LocalPlanes words, padded;  ///< the input's; empty if the packed or unpadded ones suffice
    LocalPlanes second;         ///< the values' second part
    LocalPlanes rows, result, incoming, spare;
    LocalPlanes violations, maps;  ///< the planes of constants of every buffer
    local_addr_t scratch = 0;
    std::uint32_t scratch_bytes = 0;

    std::int64_t steps() const;
    /// Volume of all steps, relative to the first one.
    double volume() const;
    std::uint64_t argument_words() const;
};

/// The window of a span as a fold along its axis.
Window window_of(const PoolSpan& span, std::int32_t stride);
/// Positions before and after the input that a span covers.
std::array<std::int32_t, 2> padding_of(const PoolSpan& span);
/// Stride between the windows of a span for a command.
std::int32_t command_stride(const PoolSpan& span, std::int32_t stride);

}  // namespace okksim::kernels
