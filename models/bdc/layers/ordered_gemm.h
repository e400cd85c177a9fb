// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace okksim::models::bdc {

/// Columns that are packed side by side; independent of the host's vector width so that packing and
/// multiplication need not agree on a target.
inline constexpr int kPanelUnit = 16;
/// Panels that one product takes at most.
inline constexpr int kPanelsAtATime = 2;
/// Floats that may be read or written past the end of a panel.
inline constexpr int kPanelSlack = 2 * kPanelUnit;

/// Rounds `depth` up to the accumulators' period.
constexpr std::int64_t padded_depth(std::int64_t depth, int accumulators) {
    return (depth + accumulators - 1) / accumulators * accumulators;
}

/// Distance in floats between rows of `depth` floats: whole cache lines, and never a multiple of
/// the 4 KiB after which rows would compete for the same cache sets.
std::int64_t row_pitch(std::int64_t depth);

/// Floats of panels that are worth keeping at hand while all rows pass by: they share the
/// second-level cache with the rows. Does not change results.
std::int64_t gemm_tile_floats();

/// Rows that are used on every panel of a tile before the next rows are touched.
std::int64_t gemm_rows_at_a_time(std::int64_t depth);

/// A run of `count` floats from `source` (relative to the base handed to pack_panel) to panel
/// column `column`; at most kPanelUnit long.
struct PackRun {
    std::int32_t column = 0;
    std::int32_t count = 0;
    std::int64_t source = 0;
};

/// Fills rows [0, depth) of a panel of kPanelUnit columns from `base + i * step`. The runs ascend
/// in their column; whole units are copied (except from runs of one float), so each source must be
/// readable kPanelUnit floats from its start.
void pack_panel(float* panel, std::int64_t depth, const float* base, std::int64_t step,
                std::span<const PackRun> runs);

/// Where columns [column, column + count) of every row go: output + row_offsets[row] + offset.
struct OutputRun {
    std::int32_t column = 0;
    std::int32_t count = 0;
    std::int64_t offset = 0;
};

/// Products of rows with one or two panels, accumulated in the order that the convolution (four
/// accumulators) and the matrix multiplication (two) define: product i, rounded, goes to
/// accumulator i mod `accumulators` in increasing i, from +0; the sum is (a0 + a2) + (a1 + a3) or
/// a0 + a1; then
/// + row bias, + column bias, + the old output. NaN is stored as 0x7FC00000.
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
    const float* row_bias = nullptr;     ///< one per row, or none
    const float* column_bias = nullptr;  ///< one per column, or none
    bool add_old_output = false;
    float* output = nullptr;
    const std::int64_t* row_offsets = nullptr;
    std::span<const OutputRun> runs;
};

/// Runs on the calling thread, whose floating-point mode must flush denormals.
void multiply_in_order(const OrderedGemm& gemm);

}  // namespace okksim::models::bdc
