// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/validate/operator_check.h"

#include "sim/graph/element.h"
#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

void OperatorCheck::fail(const std::string& name, const std::string& value,
                         const std::string& rule) const {
    throw_illegal_graph({&block_, &op_, name, value}, rule, op_section(op_.op));
}

void OperatorCheck::error_if(bool condition, std::string_view rule, const char* name,
                             std::int64_t value) const {
    if (!condition) return;
    fail(name, std::to_string(value), "ERROR_IF(" + std::string(rule) + ")");
}

void OperatorCheck::error_if(bool condition, std::string_view rule, const Tensor& tensor) const {
    if (!condition) return;
    fail("tensor " + tensor.name, shape_text(tensor.shape), "ERROR_IF(" + std::string(rule) + ")");
}

void OperatorCheck::level_check(bool holds, std::string_view rule, const char* name,
                                std::int64_t value) const {
    if (holds) return;
    fail(name, std::to_string(value), "LEVEL_CHECK(" + std::string(rule) + ") of level 8K");
}

void OperatorCheck::require_dimension(const Tensor& tensor, std::size_t axis, std::int64_t wanted,
                                      std::string_view symbol) const {
    if (tensor.shape[axis] == wanted) return;
    fail("tensor " + tensor.name, shape_text(tensor.shape),
         "ERROR_IF the operands do not meet the arguments: dimension " + std::to_string(axis) +
             " is " + std::string(symbol) + " = " + std::to_string(wanted));
}

void OperatorCheck::require_same_shape(const Tensor& a, const Tensor& b) const {
    if (a.shape == b.shape) return;
    fail("tensor " + b.name, shape_text(b.shape),
         "ERROR_IF the operands do not meet the arguments: it has the shape of " + a.name + ", " +
             shape_text(a.shape));
}

std::optional<std::vector<std::int64_t>> OperatorCheck::constant(std::size_t input_index) const {
    const Tensor& tensor = input(input_index);
    if (!tensor.has_data) return std::nullopt;
    return integer_values(tensor);
}

}  // namespace okksim::sim::graph
