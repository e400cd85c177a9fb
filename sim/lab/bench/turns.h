// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "isa/base/stop_request.h"

namespace okksim::sim::bench {

/// The minimum of the measured times. Processor time alone depends on other programs, which share
/// caches, memory and cores. They can only increase it.
class Least {
 public:
    void add(double seconds) { seconds_ = std::min(seconds_, seconds); }
    double seconds() const { return seconds_; }

 private:
    double seconds_ = HUGE_VAL;
};

/// Measures the compared work in turns: at least `rounds` rounds, and more while the target is
/// missed. Disturbances end after a while; slow work stays slow.
template <typename Round, typename IsMet>
void take_turns(int rounds, const Round& round, const IsMet& is_met) {
    constexpr int kPatience = 8;  // limit, in multiples of `rounds`
    for (int i = 0; i < rounds * kPatience && (i < rounds || !is_met()); ++i) {
        if (i > 0 && StopRequest::signal() != 0) return;
        round();
    }
}

/// Measures in turns like take_turns(), for work with its own memory. The addresses of this memory
/// affect the host's caches for its whole lifetime. Therefore `make` returns a new round with new
/// memory while the target is missed.
template <typename Make, typename IsMet>
void take_turns_anew(int rounds, const Make& make, const IsMet& is_met) {
    const auto generation = [&] {
        auto round = make();
        for (int i = 0; i < rounds && (i == 0 || StopRequest::signal() == 0); ++i) round();
    };
    take_turns(1, generation, is_met);
}

}  // namespace okksim::sim::bench
