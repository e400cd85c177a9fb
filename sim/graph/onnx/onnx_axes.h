// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

/// The axes of a reduction in the file's order, sorted.
struct ReducedAxes {
    std::vector<std::size_t> axes;
    bool keeps_dimensions = true;
    Shape result;
};
/// Returns the axes of Reduce...; checks the operands.
ReducedAxes reduced_axes(const Call& call);
/// Returns the axis of ArgMax or ArgMin; checks the operand.
ReducedAxes extremum_axis(const Call& call);

}  // namespace okksim::sim::graph::onnx
