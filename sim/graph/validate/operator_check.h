// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// The data that the rules of one operator check. The functions of operator_rules.h expect operands
/// with checked number, types, ranks and dimensions.
class OperatorCheck {
 public:
    OperatorCheck(const Graph& graph, const Block& block, const Operator& op)
        : graph_(graph), block_(block), op_(op) {}

    const Graph& graph() const { return graph_; }
    const Block& block() const { return block_; }
    const Operator& op() const { return op_; }
    const Tensor& input(std::size_t n) const { return block_.input(op_, n); }
    const Tensor& output(std::size_t n = 0) const { return block_.output(op_, n); }

    /// Refuses the graph. `name` is a tensor (its role is added) or an attribute.
    [[noreturn]] void fail(const std::string& name, const std::string& value,
                           const std::string& rule) const;

    /// Checks ERROR_IF(condition) of the operator's section; `rule` is the condition in the
    /// section's words.
    void error_if(bool condition, std::string_view rule, const char* name,
                  std::int64_t value) const;
    /// Checks an ERROR_IF about the shape of a tensor.
    void error_if(bool condition, std::string_view rule, const Tensor& tensor) const;
    /// Checks LEVEL_CHECK(holds).
    void level_check(bool holds, std::string_view rule, const char* name, std::int64_t value) const;
    /// Checks a dimension that the argument table names: `tensor` must have `wanted` at `axis`.
    void require_dimension(const Tensor& tensor, std::size_t axis, std::int64_t wanted,
                           std::string_view symbol) const;
    /// Checks that both tensors have the same shape.
    void require_same_shape(const Tensor& a, const Tensor& b) const;

    /// Returns the values of a constant integer, boolean or shape input; nothing for a run-time
    /// value.
    std::optional<std::vector<std::int64_t>> constant(std::size_t input_index) const;

 private:
    const Graph& graph_;
    const Block& block_;
    const Operator& op_;
};

}  // namespace okksim::sim::graph
