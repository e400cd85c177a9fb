// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/tile_price.h"

namespace okksim::kernels::conv {

/// A tiling and the time that a machine takes for it.
struct TimedTiling {
    Tiling tiling;
    Duration time{};
};

/// Planner: the fastest of for_each_tiling() for a problem whose output channels are those of one
/// round. Prices all tilings and runs the most promising ones on the host's machine. `most`: the
/// time of another way, which is returned if no tiling is faster. ProgramFault (out of memory) if
/// none fits.
TimedTiling fastest_tiling(const Problem& problem, const SumRule& rule, Host& host,
                           Duration most = Duration::max());

/// Time that remains of `most` after `taken`. An unknown time stays unknown.
constexpr Duration left_of(Duration most, Duration taken) {
    return most == Duration::max() ? most : most - taken;
}

/// Isolated time of a tiling on the host's machine, if it is not above `limit`.
std::optional<Duration> time_of(const Problem& problem, const SumRule& rule, const Tiling& tiling,
                                Host& host, Duration limit = Duration::max());

}  // namespace okksim::kernels::conv
