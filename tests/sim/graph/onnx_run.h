// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/graph/graph_format.h"
#include "tests/sim/graph/onnx_writer.h"

namespace okksim::tests::onnx {

/// A result in the file's elements.
struct Result {
    Shape shape;
    std::vector<double> values;
};

/// Reads a model from memory and validates the graph.
sim::graph::Graph read_model(const std::string& file, const sim::graph::ReadOptions& options = {});
/// Evaluates a model with the reference executor. Integers are given and returned as numbers.
std::vector<Result> run(const std::string& file, const std::vector<std::vector<double>>& inputs,
                        const sim::graph::ReadOptions& options = {});
/// Returns the message that refuses a file, or "accepted".
std::string refusal(const std::string& file, const sim::graph::ReadOptions& options = {});

}  // namespace okksim::tests::onnx
