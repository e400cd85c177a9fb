// SPDX-License-Identifier: Apache-2.0
// Sections 2.14 to 2.18.
#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "sim/graph/validate/levels.h"
#include "sim/graph/validate/operator_rules.h"

namespace okksim::sim::graph {

namespace {

std::string value_text(const Tensor& tensor) {
    return std::string(dtype_name(tensor.type)) + " " + shape_text(tensor.shape);
}

void check_list_size(const OperatorCheck& check, const char* name, std::size_t size) {
    check.level_check(size <= kMaxTensorListSize,
                      std::string("tensor_list_shape(") + name + ") <= MAX_TENSOR_LIST_SIZE", name,
                      static_cast<std::int64_t>(size));
}

/// ERROR_IF(tensor_list_shape(list) != shape list of a block's inputs or outputs), including types.
void require_same_list(const OperatorCheck& check, std::span<const TensorIndex> list,
                       std::size_t first, const Block& inner,
                       std::span<const TensorIndex> inner_list, const std::string& rule) {
    if (list.size() - first != inner_list.size()) {
        check.fail(
            inner.name, std::to_string(inner_list.size()) + " values",
            "ERROR_IF(" + rule + "): the operator has " + std::to_string(list.size() - first));
    }
    for (std::size_t i = 0; i < inner_list.size(); ++i) {
        const Tensor& wanted = check.block().tensors[list[first + i]];
        const Tensor& found = inner.tensors[inner_list[i]];
        if (wanted.type == found.type && wanted.shape == found.shape) continue;
        check.fail(
            "tensor " + found.name + " of " + inner.name, value_text(found),
            "ERROR_IF(" + rule + "): the operator's " + wanted.name + " is " + value_text(wanted));
    }
}

void check_cond_if(const OperatorCheck& check) {
    const Operator& op = check.op();
    const auto& a = op.attributes_as<CondIfAttributes>();
    check_list_size(check, "input_list", op.inputs.size() - 1);
    check_list_size(check, "output_list", op.outputs.size());
    for (const auto& [name, sub_graph] :
         {std::pair<std::string, const SubGraph*>("then_graph", &a.then_graph),
          std::pair<std::string, const SubGraph*>("else_graph", &a.else_graph)}) {
        const Block& inner = check.graph().block(sub_graph->block);
        require_same_list(check, op.inputs, 1, inner, inner.inputs,
                          "tensor_list_shape(input_list) != tosa_input_shape(" + name + ")");
        require_same_list(check, op.outputs, 0, inner, inner.outputs,
                          "tensor_list_shape(output_list) != tosa_output_shape(" + name + ")");
    }
    check.error_if(element_count(check.input(0).shape) != 1, "tensor_size(shape) != 1",
                   check.input(0));
}

void check_while_loop(const OperatorCheck& check) {
    const Operator& op = check.op();
    const auto& a = op.attributes_as<WhileLoopAttributes>();
    check_list_size(check, "input_list", op.inputs.size());
    check_list_size(check, "output_list", op.outputs.size());
    require_same_list(check, op.inputs, 0, check.block(), op.outputs,
                      "tensor_list_shape(input_list) != tensor_list_shape(output_list)");
    const Block& cond = check.graph().block(a.cond_graph.block);
    const Block& body = check.graph().block(a.body_graph.block);
    require_same_list(check, op.inputs, 0, cond, cond.inputs,
                      "tensor_list_shape(input_list) != tosa_input_shape(cond_graph)");
    require_same_list(check, op.inputs, 0, body, body.inputs,
                      "tensor_list_shape(input_list) != tosa_input_shape(body_graph)");
    require_same_list(check, op.inputs, 0, body, body.outputs,
                      "tensor_list_shape(input_list) != tosa_output_shape(body_graph)");
    if (cond.outputs.size() != 1) {
        check.fail(cond.name, std::to_string(cond.outputs.size()) + " outputs",
                   "ERROR_IF the condition graph does not have one output");
    }
    const Tensor& condition = cond.tensors[cond.outputs[0]];
    check.error_if(element_count(condition.shape) != 1,
                   "tensor_size(tosa_output_shape(cond_graph)) != 1", condition);
    if (condition.type != DType::kBool) {
        check.fail("tensor " + condition.name, value_text(condition),
                   "ERROR_IF(tosa_output_type(cond_graph) != bool_t)");
    }
}

void check_const(const OperatorCheck& check) {
    const Tensor& output = check.output();
    if (!output.has_data) {
        check.fail("tensor " + output.name, value_text(output),
                   "ERROR_IF the attribute values is missing");
    }
    if (output.type != DType::kI4) return;
    const std::uint64_t count =
        distinct_elements(output.data, element_count(output.shape).value_or(0));
    for (std::uint64_t i = 0; i < count; ++i) {
        if (integer_element(output.data, DType::kI4, i) == -8) {
            check.fail("tensor " + output.name, "-8",
                       "ERROR_IF the attribute values is out of range: int4_t is -7 to 7 (1.9)");
        }
    }
}

}  // namespace

void check_data_node(const OperatorCheck& check) {
    if (check.op().op == OpCode::kConst) return check_const(check);
    if (check.op().op == OpCode::kIdentity) {
        return check.require_same_shape(check.input(0), check.output());
    }
    if (check.op().op == OpCode::kCustom) {
        check_list_size(check, "input_list", check.op().inputs.size());
        check_list_size(check, "output_list", check.op().outputs.size());
    }
    // CONST_SHAPE: check_tensor() has checked the shape values.
}

void check_control_flow(const OperatorCheck& check) {
    if (check.op().op == OpCode::kCondIf) {
        check_cond_if(check);
    } else {
        check_while_loop(check);
    }
}

void check_variable_access(const OperatorCheck& check) {
    const Operator& op = check.op();
    const Variable& variable =
        check.graph().variables[op.attributes_as<VariableAttributes>().variable];
    const TensorList values = op.op == OpCode::kVariableWrite ? op.inputs : TensorList(op.outputs);
    for (const TensorIndex index : values) {
        const Tensor& value = check.block().tensors[index];
        if (value.type == variable.type && value.shape == variable.shape) continue;
        check.fail("tensor " + value.name, value_text(value),
                   "REQUIRE(variable_tensor.shape == shape) and the same type: variable " +
                       variable.name + " is " + std::string(dtype_name(variable.type)) + " " +
                       shape_text(variable.shape));
    }
}

}  // namespace okksim::sim::graph
