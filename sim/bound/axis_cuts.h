// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace okksim::sim::bound {

/// One axis of windows. Output o reads input o * step + t * spacing - before at tap t, or padding
/// if no such input exists.
struct WindowSpan {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::int64_t taps = 1;
    std::int64_t step = 1;
    std::int64_t spacing = 1;
    std::int64_t before = 0;
    bool operator==(const WindowSpan&) const = default;
};

/// True if every input is read by a tap of some output.
bool reads_all(const WindowSpan& span);
/// Lower bound of the number of inputs that any `outputs` outputs of the span read.
std::int64_t least_read(const WindowSpan& span, std::int64_t outputs);
/// Lower bound of the number of inputs from the first to the last one that any `outputs` outputs
/// read.
std::int64_t least_reach(const WindowSpan& span, std::int64_t outputs);
/// Returns a span with `outputs` outputs. At each end it has the padding of the whole span, so that
/// no choice of `outputs` outputs is less work.
WindowSpan part_of(const WindowSpan& span, std::int64_t outputs);

/// Consecutive outputs of an axis, and the number of taps that meet an input for any of them.
struct AxisPiece {
    std::int64_t outputs = 0;
    std::int64_t taps = 0;
    bool operator==(const AxisPiece&) const = default;
};
using AxisCut = std::vector<AxisPiece>;

/// Returns cuts of the axis of which at least one needs no more work than the tiles of any plan. A
/// tile skips the taps that meet only padding for all of its outputs, so only cuts next to outputs
/// with such taps save work. If there are many of them, one piece with the fewest taps of any
/// output is a lower bound for all cuts.
std::vector<AxisCut> axis_cuts(const WindowSpan& span);

}  // namespace okksim::sim::bound
