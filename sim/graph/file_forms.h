// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "sim/graph/host_tensor.h"

/// Inputs and outputs in the form of their files (Graph::file_forms).
namespace okksim::sim::graph {

/// Returns an output in the shape of its file.
HostTensor in_file_shape(const Graph& graph, std::string_view output, HostTensor value);

/// Returns the inputs or outputs without elements. Only the host has them.
std::vector<Tensor> empty_inputs(const Graph& graph);
std::vector<Tensor> empty_outputs(const Graph& graph);
/// Returns the value of a tensor without elements.
HostTensor empty_value(const Tensor& tensor);

/// Returns why no graph file can hold the inputs and outputs; empty if one can.
std::string form_problem(const Graph& graph);

}  // namespace okksim::sim::graph
