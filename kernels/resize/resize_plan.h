// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/planning/decisions.h"
#include "kernels/resize/resize_axis.h"
#include "kernels/tiling/local_planes.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels {

/// Exponent of the cut of int16 values: both parts are short enough for the first pass.
inline constexpr int kValueUnit = 8;

/// Parameters of RESIZE: images of one or more batches, whose channels are distributed over the
/// lanes.
struct ResizeOperator {
    DeviceTensor input, output;
    ResizeAxis y, x;
    std::int64_t batches = 1;
    std::int64_t channels = 1;
    bool bilinear = false;
    bool integer = false;  ///< exact sums
    bool splits_values = false;
    bool splits_sums = false;
    std::int64_t sum_bound = 0;  ///< magnitude of a column sum of one part, in its unit
    WordForm in_form = WordForm::kBits;
    WordForm out_form = WordForm::kBits;
};

/// A block of the output and the input that it needs; input positions may extend by one beyond the
/// image. Images of few channels are cut into bands of rows, one per lane. `bands` is then their
/// number, and the block is the first band of one channel. The next ones follow at equal distances
/// inside the image.
struct ResizeTile {
    std::int64_t batch = 0;
    std::int64_t channel = 0, channels = 1;
    std::int64_t bands = 0;
    std::int64_t out_y = 0, out_h = 1, out_x = 0, out_w = 1;
    std::int64_t in_y = 0, in_h = 1, in_x = 0, in_w = 1;

    dim4 in_shape() const;
    dim4 middle_shape() const;  ///< columns interpolated, rows not yet
    dim4 out_shape() const;
};

/// Rows of the output, cut into tiles of equal size. The last ones may be smaller.
struct ResizeRows {
    std::int64_t begin = 0, end = 0;
    std::int64_t bands = 0;  ///< of a tile
    std::int64_t channels = 1, out_h = 1, out_w = 1;

    std::int64_t step() const { return bands == 0 ? out_h : bands * out_h; }
    std::int64_t channel_step() const { return bands == 0 ? channels : 1; }
    std::int64_t tiles(const ResizeOperator& op) const;
};

struct ResizePlan {
    Lanes lanes;
    std::vector<ResizeRows> rows;
    int buffers = 1;  ///< of packed tiles, for input and output
    LocalPlanes in, out;
    local_addr_t scratch = 0;
    std::uint32_t scratch_bytes = 0;

    std::int64_t tiles(const ResizeOperator& op) const;
    /// Volume of all tiles, relative to the first one.
    double volume(const ResizeOperator& op) const;
    std::uint64_t argument_words() const { return 9 + kernels::argument_words(rows); }
};

/// Planner: the fastest tiles.
ResizePlan plan_resize(const ResizeOperator& op, Host& host);
/// All plans that plan_resize() chooses from.
std::vector<ResizePlan> resize_candidates(const ResizeOperator& op,
                                          const isa::MachineShape& machine);

/// Returns the operator of a call with the positions of the axes.
ResizeOperator resize_operator(const OperatorCall& call, const ResizeAxis& y, const ResizeAxis& x);
/// Firmware: the first `most` tiles of a plan.
void run_resize(const ResizeOperator& op, const ResizePlan& plan, std::int64_t most);

}  // namespace okksim::kernels
