// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Builds a graph in memory: blocks of the region "main", the first of which is "main" and is the
/// entry. Does not check rules; finish() schedules the graph, so structural faults throw there.
class GraphBuilder {
 public:
    GraphBuilder();

    /// Starts a further block; what follows goes there. Returns its reference for control flow.
    BlockReference begin_block(const std::string& name);
    /// Continues a block that was begun before.
    void select_block(BlockReference block);

    /// A block input.
    TensorIndex input(DType type, Shape shape, const std::string& name = "");
    /// A CONST of an integer or boolean type.
    TensorIndex constant(DType type, Shape shape, const std::vector<std::int64_t>& values);
    /// A CONST of fp32_t.
    TensorIndex constant(Shape shape, const std::vector<float>& values);
    /// A CONST from bytes in the encoding of constants (see DType).
    TensorIndex constant_bytes(DType type, Shape shape, std::vector<std::byte> bytes);
    /// A CONST_SHAPE.
    TensorIndex shape_value(const std::vector<std::int64_t>& values);

    /// A tensor without a producer, for operators with several outputs.
    TensorIndex tensor(DType type, Shape shape, const std::string& name = "");
    /// An operator with one output, which is returned.
    TensorIndex add(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs, DType type,
                    Shape shape);
    /// An operator with given outputs.
    void add_with_outputs(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs,
                          std::vector<TensorIndex> outputs);

    /// A value of the enclosing block, by name; finish() binds it and gives it type and shape.
    TensorIndex capture(const std::string& name);

    /// A variable of the graph and its tensor in the present block; `initial_value` is in the
    /// encoding of constants.
    std::uint32_t variable(const std::string& name, DType type, Shape shape,
                           std::vector<std::byte> initial_value);

    void output(TensorIndex index);

    /// The graph; the builder is empty afterwards.
    Graph finish();

 private:
    Block& block();

    Graph graph_;
    BlockReference current_;
    std::uint64_t next_name_ = 0;
};

}  // namespace okksim::sim::graph
