// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace okksim::models::bdc {

/// Columns of a packed panel. The number is independent of the host's vector width, so that packing
/// and multiplication need not agree on a target.
inline constexpr int kPanelUnit = 16;
/// Largest number of panels of one product.
inline constexpr int kPanelsAtATime = 2;
/// Floats that may be read or written past the end of a panel.
inline constexpr int kPanelSlack = 2 * kPanelUnit;

/// Rounds `depth` up to the accumulators' period.
constexpr std::int64_t padded_depth(std::int64_t depth, int accumulators) {
    return (depth + accumulators - 1) / accumulators * accumulators;
}

/// Returns the distance in floats between rows of `depth` floats. It is whole cache lines and never
/// a multiple of 4 KiB, at which rows compete for the same cache sets.
std::int64_t row_pitch(std::int64_t depth);

/// Returns the floats of panels to keep in the second-level cache, next to the rows, while all rows
/// are processed. Does not change results.
std::int64_t gemm_tile_floats();

/// Returns the number of rows that are used on every panel of a tile before the next rows.
std::int64_t gemm_rows_at_a_time(std::int64_t depth);

/// A run of `count` floats from `source` (relative to the base handed to pack_panel) to panel
/// column `column`; at most kPanelUnit long.
struct PackRun {
    std::int32_t column = 0;
    std::int32_t count = 0;
    std::int64_t source = 0;
};

/// Fills rows [0, depth) of a panel of kPanelUnit columns from `base + i * step`. Runs are sorted
/// by column. Whole units are copied (except from runs of one float), so kPanelUnit floats from the
/// start of each source must be readable.
void pack_panel(float* panel, std::int64_t depth, const float* base, std::int64_t step,
                std::span<const PackRun> runs);

/// Destination of columns [column, column + count) of every row: output + row_offsets[row] +
/// offset.
struct OutputRun {
    std::int32_t column = 0;
    std::int32_t count = 0;
    std::int64_t offset = 0;
};

/// Products of rows with one or two panels, accumulated in the order of the definitions of
/// convolution (four accumulators) and matrix multiplication (two). Product i is rounded and added
/// to accumulator i mod `accumulators` in increasing i, from +0. The sum is (a0 + a2) + (a1 + a3)
/// or a0 + a1, then + row bias, + column bias, + the old output. NaN is stored as 0x7FC00000.
///
/// `depth` is a multiple of `accumulators`: missing products are filled by -0 in the row and +0 in
/// the panel, because adding -0 changes nothing.
struct OrderedGemm {
    int accumulators = 4;
    std::int64_t depth = 0;
    const float* panels = nullptr;    ///< the first panel: [depth][kPanelUnit]
    std::int64_t panel_distance = 0;  ///< floats from the first panel to the second
    const float* rows = nullptr;      ///< [row_count][row_pitch]
    std::int64_t row_pitch = 0;
    std::int64_t row_count = 0;
    const float* row_bias = nullptr;     ///< one per row, or nullptr
    const float* column_bias = nullptr;  ///< one per column, or nullptr
    bool add_old_output = false;
    float* output = nullptr;
    const std::int64_t* row_offsets = nullptr;
    std::span<const OutputRun> runs;
};

/// Runs on the calling thread, whose floating-point mode must flush denormals.
void multiply_in_order(const OrderedGemm& gemm);

}  // namespace okksim::models::bdc
