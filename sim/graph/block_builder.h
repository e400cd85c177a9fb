// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Fills one block of a graph that a reader makes, and adds what TOSA 1.0 wants in another form
/// than the file has it: zero points, shapes and padding as constants, operators around an
/// operator. Values of the file keep their names; added ones are named after the operator's result.
/// The blocks of the graph must stay where they are while a builder lives.
class BlockBuilder {
 public:
    BlockBuilder(Graph& graph, Block& block) : graph_(graph), block_(block) {}

    Graph& graph() { return graph_; }
    Block& block() { return block_; }

    /// The value of this name, if the block has it.
    std::optional<TensorIndex> find(std::string_view name) const;
    /// Adds a value of the file, or nothing when its name is taken.
    std::optional<TensorIndex> declare(Tensor tensor);
    /// The value of this name; a capture of the enclosing block's when the block has none.
    TensorIndex find_or_capture(std::string_view name);

    /// Gives a value a name; a value that has it takes another one.
    void rename(TensorIndex index, std::string name);

    /// What the operators that follow are for: their position in the file's list, the name that
    /// added values begin with, their origin and location (Operator).
    void begin_operator(std::uint32_t index, std::string name, std::string origin = {},
                        std::string location = {});

    /// A value that the file does not have; `role` ends its name.
    TensorIndex temporary(DType type, Shape shape, std::string_view role);
    /// A CONST of an integer or boolean type, or of the values as numbers of a floating-point type
    /// (rounded to nearest even).
    TensorIndex constant(DType type, Shape shape, const std::vector<std::int64_t>& values,
                         std::string_view role);
    /// A CONST of bytes in the encoding of constants (DType).
    TensorIndex constant_bytes(DType type, Shape shape, std::span<const std::byte> bytes,
                               std::string_view role);
    /// One element of a floating-point type, rounded to nearest even.
    TensorIndex real_constant(DType type, Shape shape, double value, std::string_view role);
    /// A CONST_SHAPE.
    TensorIndex shape_value(const std::vector<std::int64_t>& values, std::string_view role);

    /// An operator with the given results.
    void add(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs,
             std::vector<TensorIndex> outputs);
    /// An operator with one added result.
    TensorIndex add(OpCode op, Attributes attributes, std::vector<TensorIndex> inputs, DType type,
                    Shape shape, std::string_view role);

    const Tensor& tensor(TensorIndex index) const { return block_.tensors[index]; }

 private:
    std::string free_name(const std::string& wanted);

    Graph& graph_;
    Block& block_;
    std::unordered_map<std::string, TensorIndex> names_;
    std::unordered_map<std::string, int> repeats_;  ///< last numbers behind names that were taken
    std::uint32_t index_ = 0;
    std::string origin_;
    std::string location_;
    std::string name_;
};

}  // namespace okksim::sim::graph
