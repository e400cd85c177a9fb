// SPDX-License-Identifier: Apache-2.0
#pragma once

// The kernels define the types of the specification, and graphs use the same types.
#include "kernels/tosa/tosa_types.h"

namespace okksim::sim::graph {
using namespace okksim::tosa;
}  // namespace okksim::sim::graph
