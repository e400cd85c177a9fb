// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::zoo {

enum class Precision { kFp32, kFp16, kInt8 };

/// Options of a network. A seed gives the same network in every precision: int8 weights are the
/// quantised fp32 weights.
struct ZooOptions {
    Precision precision = Precision::kFp32;
    int batch = 1;
    std::uint64_t seed = 1;
    int size = 0;  ///< image edge or sequence length; 0: the network's default
    double width =
        1.0;  ///< channels as a share of the network's default, rounded to multiples of 8
};

/// A graph with input values and the tolerances of its outputs.
struct ZooModel {
    struct Input {
        std::string name;
        graph::HostTensor value;
    };
    graph::Graph graph;
    std::vector<Input> inputs;
    /// Largest error of floating-point outputs against double precision (README.md): relative to
    /// the element, plus absolute.
    double relative_tolerance = 0.0;
    double absolute_tolerance = 0.0;
};

}  // namespace okksim::sim::zoo
