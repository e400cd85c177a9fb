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
/// round. All are priced; those that look fastest run on the host's machine. `most`: a time that is
/// known of another way; where none is faster, so much is returned. ProgramFault (out of memory)
/// when none fits.
TimedTiling fastest_tiling(const Problem& problem, const SumRule& rule, Host& host,
                           Duration most = Duration::max());

/// What `taken` leaves of a time; of none that is known, all.
constexpr Duration left_of(Duration most, Duration taken) {
    return most == Duration::max() ? most : most - taken;
}

/// What a tiling takes by itself on the host's machine, if that is not above `limit`.
std::optional<Duration> time_of(const Problem& problem, const SumRule& rule, const Tiling& tiling,
                                Host& host, Duration limit = Duration::max());

}  // namespace okksim::kernels::conv
