// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "isa/stop_request.h"

namespace okksim::sim::bench {

/// The least of what was measured. Processor time alone says what a piece of work takes when
/// nothing else is on: other programs share caches, memory and cores with it and only ever add.
class Least {
 public:
    void add(double seconds) { seconds_ = std::min(seconds_, seconds); }
    double seconds() const { return seconds_; }

 private:
    double seconds_ = HUGE_VAL;
};

/// Measures in turns what is compared: at least so many rounds, and more while the bar is missed.
/// What disturbs goes by in the end, what is slow stays slow.
template <typename Round, typename IsMet>
void take_turns(int rounds, const Round& round, const IsMet& is_met) {
    constexpr int kPatience = 8;  // times as many rounds
    for (int i = 0; i < rounds * kPatience && (i < rounds || !is_met()); ++i) {
        if (i > 0 && StopRequest::signal() != 0) return;
        round();
    }
}

/// The same for what has memory of its own, which may lie well or badly in the host's caches for as
/// long as it lives: `make` gives a new round, on new memory, as often as the bar is missed.
template <typename Make, typename IsMet>
void take_turns_anew(int rounds, const Make& make, const IsMet& is_met) {
    const auto generation = [&] {
        auto round = make();
        for (int i = 0; i < rounds && (i == 0 || StopRequest::signal() == 0); ++i) round();
    };
    take_turns(1, generation, is_met);
}

}  // namespace okksim::sim::bench
