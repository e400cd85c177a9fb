// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/graph.h"

/// Tensors of more than six dimensions, which files of other formats have and TOSA's level 8K has
/// not: neighbouring dimensions are merged.
namespace okksim::sim::graph {

/// Returns the shape of a graph's input or output: up to six dimensions, of which the last one is
/// that of the file.
Shape merged_shape(const Shape& shape);
/// True if the shape of a file has more than six dimensions, and merging neighbours gives `shape`.
bool merges_to(const Shape& file, const Shape& shape);

/// Merges dimensions of all tensors of a graph whose operators permit it. Inputs and outputs of the
/// entry block get a FileForm. Tensors that stay too large are left to validation.
void merge_dimensions(Graph& graph);

}  // namespace okksim::sim::graph
