// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/graph/onnx_run.h"

namespace okksim::tests::onnx {

/// An operand of a model with one node: an input of the graph, or a weight.
struct Operand {
    Shape shape = {};
    std::vector<double> values = {};
    Type type = kFloat;
    bool is_known = false;
    /// The graph's input is N,H,W,C; a Transpose before the node makes it N,C,H,W (`shape`).
    bool is_channels_last = false;
    bool is_absent = false;
};

Operand real(const Shape& shape, const std::vector<double>& values);
Operand known_real(const Shape& shape, const std::vector<double>& values);
/// A vector of int64 that is a weight.
Operand known_list(const std::vector<double>& values);
Operand absent();
/// Numbers first, first + step, ...
std::vector<double> counted(std::size_t count, double first = 0, double step = 1);

/// A node with its operands and the number of its results.
struct Node {
    std::string op;
    std::vector<Operand> operands = {};
    std::vector<Message> attributes = {};
    std::int64_t opset = 17;
    std::size_t results = 1;
    std::string domain = {};
};

std::string model_of(const Node& node);
/// Returns the results of a node.
std::vector<Result> run_node(const Node& node);
/// Returns the elements of the first result.
std::vector<double> values_of(const Node& node);
/// Returns the message that refuses the node, or "accepted".
std::string refusal_of(const Node& node);

}  // namespace okksim::tests::onnx
