// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/name_index.h"
#include "sim/graph/recent_values.h"

namespace okksim::sim::graph {

/// Fills one block of a graph that a reader makes, and adds what TOSA 1.0 wants in another form
/// than the file has it: zero points, shapes and padding as constants, operators around an
/// operator. Values of the file keep their names; added ones are named after the operator's result.
/// The blocks of the graph must stay where they are while a builder lives.
class BlockBuilder {
 public:
    BlockBuilder(Graph& graph, Block& block)
        : graph_(graph), block_(block), names_(TensorNames{block}) {}

    Graph& graph() { return graph_; }
    Block& block() { return block_; }

    /// The value of this name, if the block has it.
    std::optional<TensorIndex> find(std::string_view name) const;
    /// Adds a value of the file, or nothing when its name is taken. The name is the graph's or the
    /// file's.
    std::optional<TensorIndex> declare(Tensor tensor);
    /// The value of this name; a capture of the enclosing block's when the block has none.
    TensorIndex find_or_capture(Name name);

    /// Gives a value a name; a value that has it takes another one.
    void rename(TensorIndex index, Name name);

    /// What the operators that follow are for.
    struct Source {
        std::uint32_t index = 0;  ///< in the file's list
        std::string_view name;    ///< the names of added values begin with it
        Name location = {};       ///< as Operator has it
        std::uint32_t line = 0;
        std::uint32_t column = 0;
    };
    void begin_operator(const Source& source);

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
    void add(OpCode op, Attributes attributes, const TensorList& inputs, const TensorList& outputs);
    /// An operator with one added result.
    TensorIndex add(OpCode op, Attributes attributes, const TensorList& inputs, DType type,
                    Shape shape, std::string_view role);

    const Tensor& tensor(TensorIndex index) const { return block_.tensors[index]; }

 private:
    struct TensorNames {
        const Block& block;
        std::string_view operator()(TensorIndex index) const { return block.tensors[index].name; }
    };
    Name free_name(const std::string& wanted);

    Graph& graph_;
    Block& block_;
    NameIndex<TensorNames> names_;
    RecentValues<Shape> shapes_;
    RecentValues<Attributes> attributes_;
    std::unordered_map<std::string, int> repeats_;  ///< last numbers behind names that were taken
    Source source_;
    std::string name_;
};

}  // namespace okksim::sim::graph
