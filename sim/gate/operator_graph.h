// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/gate/suite.h"
#include "sim/graph/builder.h"

namespace okksim::sim::gate {

using graph::Shape;
using graph::TensorIndex;
using tosa::DType;
using tosa::OpCode;

/// A graph of one operator in the making: inputs get seeded values as they are added.
class OperatorGraph {
 public:
    /// A block input with random values (sim/execution/random_input.h).
    TensorIndex input(DType type, Shape shape);
    /// An int32 input with values in [first, first + count).
    TensorIndex indices(Shape shape, std::int64_t count, std::int64_t first = 0);
    /// An fp32 input with values above zero.
    TensorIndex positive(Shape shape);
    /// A constant with random values.
    TensorIndex weights(DType type, Shape shape);
    /// A constant of one element, or of one per given value.
    TensorIndex value(DType type, const std::vector<std::int64_t>& values);
    /// A floating-point zero: zero points and padding.
    TensorIndex zero(DType type);
    TensorIndex shape(const std::vector<std::int64_t>& values);

    /// A constant of so many axes of one element.
    TensorIndex scalar(DType type, std::size_t rank, std::int64_t number);

    /// An operator whose result others take.
    TensorIndex apply(OpCode code, tosa::Attributes attributes, std::vector<TensorIndex> inputs,
                      DType type, Shape shape);
    /// The operator; its output is the graph's.
    void op(OpCode code, tosa::Attributes attributes, std::vector<TensorIndex> inputs, DType type,
            Shape shape);
    /// The same with two outputs of one type and shape.
    void op_with_two_outputs(OpCode code, tosa::Attributes attributes,
                             std::vector<TensorIndex> inputs, DType type, const Shape& shape);
    GateGraph finish();

 private:
    graph::GraphBuilder builder_;
    std::vector<graph::HostTensor> inputs_;
    std::uint64_t next_seed_ = 1;
};

}  // namespace okksim::sim::gate
