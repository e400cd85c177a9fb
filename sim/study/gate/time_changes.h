// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/gate/time_record.h"

namespace okksim::sim::gate {

/// A change of time.
struct Change {
    std::string what;
    double us = 0;
};

/// Returns the largest changes of at least `least_us` as text: "+8.0 us BDC busy: convolution".
std::vector<std::string> largest(std::vector<Change> changes, double least_us);
/// Returns the largest changes in the direction of the total change.
std::vector<std::string> largest_towards(std::vector<Change> changes, double direction,
                                         double least_us);
/// Returns the changes of the engines' time by cause, and of busy time by kind of work.
std::vector<Change> changes_of_causes(const TimeRecord& base, const TimeRecord& next);
/// Returns the operators with a change beyond the threshold, both of their time and of the total.
std::vector<std::string> operators_of(const TimeRecord& base, const TimeRecord& next,
                                      double threshold, double least_us);

}  // namespace okksim::sim::gate
