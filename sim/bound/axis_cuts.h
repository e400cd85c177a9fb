// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace okksim::sim::bound {

/// One axis of windows: output o at tap t reads input o * step + t * spacing - before, or padding
/// where no such input exists.
struct WindowSpan {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::int64_t taps = 1;
    std::int64_t step = 1;
    std::int64_t spacing = 1;
    std::int64_t before = 0;
    bool operator==(const WindowSpan&) const = default;
};

/// Whether every input lies under a tap of some output.
bool reads_all(const WindowSpan& span);
/// Inputs under taps of any `outputs` of its outputs, at least.
std::int64_t least_read(const WindowSpan& span, std::int64_t outputs);
/// From the first to the last input under taps of any `outputs` of its outputs, at least.
std::int64_t least_reach(const WindowSpan& span, std::int64_t outputs);
/// A span with so many outputs, all of which have as many taps on padding as the first and the
/// last of the whole one: no `outputs` of its outputs are less work.
WindowSpan part_of(const WindowSpan& span, std::int64_t outputs);

/// Some outputs of an axis, one after the other, and the taps that meet inputs there.
struct AxisPiece {
    std::int64_t outputs = 0;
    std::int64_t taps = 0;
    bool operator==(const AxisPiece&) const = default;
};
using AxisCut = std::vector<AxisPiece>;

/// The cuts among which the least work is, whatever tiles a plan has: a tile spares the taps that
/// meet nothing but padding for all of its outputs, so only cuts beside outputs with such taps
/// spare any. Where those are many, one piece with the fewest taps of an output stands for all.
std::vector<AxisCut> axis_cuts(const WindowSpan& span);

}  // namespace okksim::sim::bound
