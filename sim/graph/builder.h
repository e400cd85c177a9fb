// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Builds a graph in memory. Its blocks are in the region "main"; the first block is "main" and is
/// the entry. The builder does not check rules. finish() schedules the graph, so structural faults
/// throw there.
class GraphBuilder {
 public:
    GraphBuilder();

    /// Starts another block, which receives the next operators. Returns its reference for control
    /// flow.
    BlockReference begin_block(const std::string& name);
    /// Continues an existing block.
    void select_block(BlockReference block);

    /// Adds a block input.
    TensorIndex input(DType type, Shape shape, const std::string& name = "");
    /// Adds a CONST of an integer or boolean type.
    TensorIndex constant(DType type, Shape shape, const std::vector<std::int64_t>& values);
    /// Adds a CONST of fp32_t.
    TensorIndex constant(Shape shape, const std::vector<float>& values);
    /// Adds a CONST from bytes in the encoding of constants (DType).
    TensorIndex constant_bytes(DType type, Shape shape, std::vector<std::byte> bytes);
    /// Adds a CONST_SHAPE.
    TensorIndex shape_value(const std::vector<std::int64_t>& values);

    /// Adds a tensor without a producer, for operators with several outputs.
    TensorIndex tensor(DType type, Shape shape, const std::string& name = "");
    /// Adds an operator with one output and returns the output.
    TensorIndex add(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs, DType type,
                    Shape shape);
    /// Adds an operator with given outputs.
    void add_with_outputs(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs,
                          std::vector<TensorIndex> outputs);

    /// Adds a capture of the enclosing block's value; finish() binds it and sets type and shape.
    TensorIndex capture(const std::string& name);

    /// Adds a variable of the graph and its tensor in the current block. `initial_value` is in the
    /// encoding of constants.
    std::uint32_t variable(const std::string& name, DType type, Shape shape,
                           std::vector<std::byte> initial_value);

    void output(TensorIndex index);

    /// Returns the graph and leaves the builder empty.
    Graph finish();

 private:
    Block& block();

    Graph graph_;
    BlockReference current_;
    std::uint64_t next_name_ = 0;
};

}  // namespace okksim::sim::graph
