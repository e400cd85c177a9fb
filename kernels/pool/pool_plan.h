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
    bool first = false, last = false;      ///< of the output tile's steps
};

/// What a pooling operator does besides combining: compute commands.
struct PoolStages {
    /// Scratch planes of the tile's shape that `adapt` and `finish` take.
    int planes = 0;
    /// Changes the words of the input, which are in the aligned layout, before they are padded.
    std::function<void(const prim::LocalTensor& words, prim::Scratch& scratch)> adapt;
    /// Makes the output's words of a tile's results, in place, by the maps' values there.
    std::function<void(const prim::LocalTensor& words, std::span<const prim::LocalTensor> maps,
                       prim::Scratch& scratch)>
        finish;
    /// Words of every output position for finish: so many maps in system memory.
    int maps = 0;
    std::uint64_t map_address = 0;
    /// What adapt, and finish where it takes no maps, multiply by: commands that combine whole
    /// windows do it to their terms.
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
    /// Maxima of int8 or int16, which machines with the group int8_mac find in elements as they are
    /// stored.
    bool is_integer_maximum = false;
};

/// The steps of a pooling operator and its local memory. Operands of the axes' strides: output,
/// input.
struct PoolPlan {
    Lanes lanes;
    NdAxis channels;  ///< what goes over the lanes: channels, batches or both
    NdAxis repeats;   ///< what does not
    std::int32_t step_channels = 1;
    bool packed = false;     ///< a step is one command on elements as they are stored
    bool by_window = false;  ///< one command on words combines the windows of a step
    bool in_place = false;   ///< results are made in the packed tile
    /// Tiles of outputs along y and x, each as the parts of its windows; parts that see only
    /// padding are left out.
    std::array<std::vector<std::vector<PoolSpan>>, 2> tiles;
    std::array<FoldOrder, 2> folds{};  ///< along y, along x
    int buffers = 1;                   ///< of packed tiles, at both ends
    LocalPlanes in, out;
    LocalPlanes words, padded;  ///< the input's; empty where the packed or unpadded ones do
    LocalPlanes second;         ///< the values' second part
    LocalPlanes rows, result, incoming, spare;
    LocalPlanes violations, maps;  ///< the maps of every buffer
    local_addr_t scratch = 0;
    std::uint32_t scratch_bytes = 0;

    std::int64_t steps() const;
    /// Of all steps, the first one's being 1.
    double volume() const;
    std::uint64_t argument_words() const;
};

/// Planner: the fastest tiles and orders.
PoolPlan plan_pool(const PoolOperator& op, Host& host);
/// Every plan that plan_pool chooses among.
std::vector<PoolPlan> pool_candidates(const PoolOperator& op, const isa::MachineShape& machine);

/// The window of a span as a fold along its axis.
Window window_of(const PoolSpan& span, std::int32_t stride);
/// Positions before and behind the input that a span covers.
std::array<std::int32_t, 2> padding_of(const PoolSpan& span);
/// Steps between the windows of a span, as a command takes them.
std::int32_t command_stride(const PoolSpan& span, std::int32_t stride);

}  // namespace okksim::kernels
