// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/graph_format.h"

namespace okksim::sim::graph {

/// A dimension that the file leaves open.
inline constexpr std::int64_t kOpenDimension = -1;

/// An input as the file declares it.
struct DeclaredInput {
    std::string name;
    Shape shape;                               ///< may have kOpenDimension
    std::vector<std::string> dimension_names;  ///< such as "batch"; may be empty or shorter
    bool has_rank = true;
};

/// Returns the shapes of the inputs without open dimensions. An open dimension takes its size from
/// ReadOptions::input_shape, or from another input with the same dimension name. Otherwise it is 1
/// if it looks like a batch, and a note is appended to `warnings` (Graph::warnings). ConfigError
/// for other open dimensions, and for given shapes that contradict the file.
std::vector<Shape> bind_input_shapes(const std::vector<DeclaredInput>& inputs,
                                     const ReadOptions& options,
                                     std::vector<std::string>& warnings);

}  // namespace okksim::sim::graph
