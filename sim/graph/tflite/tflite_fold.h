// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/graph/tflite/tflite_call.h"

namespace okksim::sim::graph::tflite {

/// A result that the reader computed.
struct Folded {
    Shape shape;
    std::vector<std::byte> data;  ///< in the encoding of the file
};

/// Computes the results of an operator on the host: of SHAPE and RANK, and of operators on few
/// integers that are known. Shapes are computed in this way. Returns nothing for other operators.
std::optional<std::vector<Folded>> fold(const Call& call);

}  // namespace okksim::sim::graph::tflite
