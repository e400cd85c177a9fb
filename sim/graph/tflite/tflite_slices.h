// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/compose/indexing.h"
#include "sim/graph/tflite/tflite_call.h"

namespace okksim::sim::graph::tflite {

/// A STRIDED_SLICE: a range per dimension of the operand, and the shape of the result.
struct SlicePlan {
    std::vector<compose::SliceRange> ranges;
    std::vector<compose::SliceElements> elements;
    Shape shape;
};

/// Reads begin, end, strides and masks, which are bits per entry of the lists.
SlicePlan plan_slice(const Call& call, const Shape& operand);

}  // namespace okksim::sim::graph::tflite
