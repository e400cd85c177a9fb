// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/builder.h"
#include "sim/lab/gate/gate_case.h"

namespace okksim::sim::gate {

using graph::Shape;
using graph::TensorIndex;
using tosa::DType;
using tosa::OpCode;

/// Builds a graph of one operator. Inputs get seeded values when they are added.
class OperatorGraph {
 public:
    /// Adds a block input with random values (sim/execution/random_input.h).
    TensorIndex input(DType type, Shape shape);
    /// Adds an int32 input with values in [first, first + count).
    TensorIndex indices(Shape shape, std::int64_t count, std::int64_t first = 0);
    /// Adds an fp32 input with positive values.
    TensorIndex positive(Shape shape);
    /// Adds a constant with random values.
    TensorIndex weights(DType type, Shape shape);
    /// Adds a constant with one element per given value.
    TensorIndex value(DType type, const std::vector<std::int64_t>& values);
    /// Adds a floating-point zero, for zero points and padding.
    TensorIndex zero(DType type);
    TensorIndex shape(const std::vector<std::int64_t>& values);

    /// Adds a constant of one element with `rank` axes.
    TensorIndex scalar(DType type, std::size_t rank, std::int64_t number);

    /// Adds an operator whose result other operators use.
    TensorIndex apply(OpCode code, tosa::Attributes attributes, std::vector<TensorIndex> inputs,
                      DType type, Shape shape);
    /// Adds the operator whose output is the graph's output.
    void op(OpCode code, tosa::Attributes attributes, std::vector<TensorIndex> inputs, DType type,
            Shape shape);
    /// Adds an operator with two graph outputs of one type and shape.
    void op_with_two_outputs(OpCode code, tosa::Attributes attributes,
                             std::vector<TensorIndex> inputs, DType type, const Shape& shape);
    GateGraph finish();

 private:
    graph::GraphBuilder builder_;
    std::vector<graph::HostTensor> inputs_;
    std::uint64_t next_seed_ = 1;
};

}  // namespace okksim::sim::gate
