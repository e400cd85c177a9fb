// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/axis_cuts.h"

#include <algorithm>
#include <set>

namespace okksim::sim::bound {
namespace {

/// Up to this number of cut positions, all combinations are tried: at most 64 cuts per axis.
constexpr std::size_t kMostCuts = 6;

bool meets(const WindowSpan& span, std::int64_t output, std::int64_t tap) {
    const std::int64_t at = output * span.step + tap * span.spacing - span.before;
    return at >= 0 && at < span.input;
}

/// Returns the number of taps that meet an input for at least one of the outputs [begin, end).
std::int64_t met_taps(const WindowSpan& span, std::int64_t begin, std::int64_t end) {
    std::int64_t met = 0;
    for (std::int64_t tap = 0; tap < span.taps; ++tap) {
        std::int64_t output = begin;
        while (output < end && !meets(span, output, tap)) ++output;
        met += output < end ? 1 : 0;
    }
    return met;
}

/// Marks the inputs that at least one tap of an output reads.
std::vector<bool> read_inputs(const WindowSpan& span) {
    std::vector<bool> read(static_cast<std::size_t>(span.input), false);
    for (std::int64_t output = 0; output < span.output; ++output) {
        for (std::int64_t tap = 0; tap < span.taps; ++tap) {
            if (!meets(span, output, tap)) continue;
            read[static_cast<std::size_t>(output * span.step + tap * span.spacing - span.before)] =
                true;
        }
    }
    return read;
}

std::int64_t all_read(const WindowSpan& span) {
    return std::ranges::count(read_inputs(span), true);
}

/// Returns the number of padding elements on both sides of the axis.
std::int64_t padding_of(const WindowSpan& span) {
    const std::int64_t reach = (span.output - 1) * span.step + (span.taps - 1) * span.spacing + 1;
    return span.before + std::max<std::int64_t>(reach - span.before - span.input, 0);
}

}  // namespace

bool reads_all(const WindowSpan& span) { return all_read(span) == span.input; }

std::int64_t least_read(const WindowSpan& span, std::int64_t outputs) {
    if (outputs >= span.output) return all_read(span);
    if (outputs == 0 || span.spacing > 1) return 0;
    const std::int64_t apart = std::min(span.step, span.taps);
    return std::clamp<std::int64_t>((outputs - 1) * apart + span.taps - padding_of(span), 1,
                                    span.input);
}

std::int64_t least_reach(const WindowSpan& span, std::int64_t outputs) {
    if (outputs >= span.output) {
        const std::vector<bool> read = read_inputs(span);
        const auto first = std::find(read.begin(), read.end(), true);
        const auto last = std::find(read.rbegin(), read.rend(), true);
        return first == read.end() ? 0 : last.base() - first;
    }
    if (outputs == 0) return 0;
    return std::clamp<std::int64_t>((outputs - 1) * span.step + 1 - padding_of(span), 1,
                                    span.input);
}

WindowSpan part_of(const WindowSpan& span, std::int64_t outputs) {
    WindowSpan part = span;
    if (outputs >= span.output) return part;
    part.output = outputs;
    part.input = std::max<std::int64_t>(span.input - (span.output - outputs) * span.step, 1);
    return part;
}

std::vector<AxisCut> axis_cuts(const WindowSpan& span) {
    std::set<std::int64_t> places;  // outputs before which a cut may spare taps
    std::int64_t fewest = span.taps;
    for (std::int64_t output = 0; output < span.output; ++output) {
        const std::int64_t taps = met_taps(span, output, output + 1);
        fewest = std::min(fewest, taps);
        if (taps == span.taps) continue;
        if (output > 0) places.insert(output);
        if (output + 1 < span.output) places.insert(output + 1);
        if (places.size() > kMostCuts) break;
    }
    if (places.size() > kMostCuts) {
        for (std::int64_t output = 0; output < span.output; ++output) {
            fewest = std::min(fewest, met_taps(span, output, output + 1));
        }
        return {{{span.output, fewest}}};
    }
    const std::vector<std::int64_t> at(places.begin(), places.end());
    std::vector<AxisCut> cuts;
    for (std::size_t chosen = 0; chosen < (std::size_t{1} << at.size()); ++chosen) {
        AxisCut cut;
        std::int64_t begin = 0;
        const auto end_at = [&](std::int64_t end) {
            cut.push_back({end - begin, met_taps(span, begin, end)});
            begin = end;
        };
        for (std::size_t i = 0; i < at.size(); ++i) {
            if ((chosen >> i & 1) != 0) end_at(at[i]);
        }
        end_at(span.output);
        cuts.push_back(std::move(cut));
    }
    return cuts;
}

}  // namespace okksim::sim::bound
