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

/// Fills one block of a graph for a reader. It adds what TOSA 1.0 represents differently from the
/// file: zero points, shapes and padding as constants, and extra operators around an operator.
/// Values of the file keep their names. Added values are named after the operator's result. The
/// blocks of the graph must not move during the builder's lifetime.
class BlockBuilder {
 public:
    BlockBuilder(Graph& graph, Block& block)
        : graph_(graph), block_(block), names_(TensorNames{block}) {}

    Graph& graph() { return graph_; }
    Block& block() { return block_; }

    /// Returns the value of this name; nothing if the block has none.
    std::optional<TensorIndex> find(std::string_view name) const;
    /// Adds a value of the file. Returns nothing if its name is taken. The graph or the file owns
    /// the name.
    std::optional<TensorIndex> declare(Tensor tensor);
    /// Returns the value of this name, or adds a capture from the enclosing block.
    TensorIndex find_or_capture(Name name);

    /// Renames a value. Another value with that name gets a new name.
    void rename(TensorIndex index, Name name);

    /// The operator of the file that the next added operators implement.
    struct Source {
        std::uint32_t index = 0;  ///< in the file's list
        std::string_view name;    ///< prefix of the names of added values
        Name location = {};       ///< as Operator::location
        std::uint32_t line = 0;
        std::uint32_t column = 0;
    };
    void begin_operator(const Source& source);

    /// Adds a value that is not in the file; `role` ends its name.
    TensorIndex temporary(DType type, Shape shape, std::string_view role);
    /// Adds a CONST of an integer or boolean type, or of a floating-point type with the values
    /// rounded to nearest even.
    TensorIndex constant(DType type, Shape shape, const std::vector<std::int64_t>& values,
                         std::string_view role);
    /// Adds a CONST of bytes in the encoding of constants (DType).
    TensorIndex constant_bytes(DType type, Shape shape, const ConstantData& data,
                               std::string_view role);
    /// Adds a constant with one floating-point element, rounded to nearest even.
    TensorIndex real_constant(DType type, Shape shape, double value, std::string_view role);
    /// Adds a CONST_SHAPE.
    TensorIndex shape_value(const std::vector<std::int64_t>& values, std::string_view role);

    /// Adds an operator with the given results.
    void add(OpCode op, Attributes attributes, const TensorList& inputs, const TensorList& outputs);
    /// Adds an operator with one new result.
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
    std::unordered_map<std::string, int> repeats_;  ///< last suffix of each taken name
    Source source_;
    std::string name_;
};

}  // namespace okksim::sim::graph
