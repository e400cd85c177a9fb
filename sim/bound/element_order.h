// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/bound/graph_need.h"

namespace okksim::sim::bound {

/// What has to be complete before an element can be, and what cannot be before it is.
struct Neighbours {
    NeedSum before, behind;
};

/// Of every element, whose predecessors come before it. Time grows with the number of elements and
/// with the pairs that do not wait for each other, or do, whichever are fewer.
std::vector<Neighbours> neighbours_of(const std::vector<NeedElement>& elements);

}  // namespace okksim::sim::bound
