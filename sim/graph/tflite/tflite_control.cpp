// SPDX-License-Identifier: Apache-2.0
// Control flow, variables, and operators that are refused with a reason.
#include <algorithm>

#include "sim/graph/flatbuffer/file_parts.h"
#include "sim/graph/tflite/tflite_lowering.h"

namespace okksim::sim::graph::tflite {

namespace {

void check_results(const Call& call, const std::vector<Value>& results) {
    if (results.size() == call.outputs.size()) return;
    call.illegal("outputs", std::to_string(call.outputs.size()),
                 "the operator has the outputs of its subgraph, " + std::to_string(results.size()));
}

}  // namespace

void Lowering::branch(const Call& call) {
    const auto& options = call.needed_options<wire::IfOptions>();
    Value& condition = call.input(0);
    const std::vector<Value*> operands(call.inputs.begin() + 1, call.inputs.end());
    std::vector<Value> taken, other;
    const BlockReference then_block =
        subgraphs_.lower(options.then_subgraph_index(), operands, call, taken);
    const BlockReference else_block =
        subgraphs_.lower(options.else_subgraph_index(), operands, call, other);
    check_results(call, taken);
    check_results(call, other);
    std::vector<TensorIndex> inputs{t_.of(condition)}, outputs;
    for (Value* value : operands) inputs.push_back(t_.of(*value));
    for (std::size_t n = 0; n < taken.size(); ++n) {
        if (taken[n].shape != other[n].shape || taken[n].device() != other[n].device()) {
            throw UnsupportedPart("branches whose results have different shapes");
        }
        outputs.push_back(ops_.block().temporary(taken[n].device(), taken[n].shape, "result"));
    }
    ops_.block().add(OpCode::kCondIf, CondIfAttributes{{then_block, {}}, {else_block, {}}}, inputs,
                     outputs);
    for (std::size_t n = 0; n < outputs.size(); ++n) give(call, outputs[n], n);
}

void Lowering::loop(const Call& call) {
    const auto& options = call.needed_options<wire::WhileOptions>();
    std::vector<Value> condition, results;
    const BlockReference test =
        subgraphs_.lower(options.cond_subgraph_index(), call.inputs, call, condition);
    const BlockReference body =
        subgraphs_.lower(options.body_subgraph_index(), call.inputs, call, results);
    check_results(call, results);
    if (condition.size() != 1 || condition[0].type != TensorType::BOOL ||
        results.size() != call.inputs.size()) {
        call.illegal("cond_subgraph_index", std::to_string(condition.size()) + " outputs",
                     "the condition is one BOOL, and the body returns all values of the loop");
    }
    std::vector<TensorIndex> inputs, outputs;
    for (std::size_t n = 0; n < results.size(); ++n) {
        Value& value = call.input(n);
        if (value.shape != results[n].shape || value.device() != results[n].device()) {
            throw UnsupportedPart("a loop whose values change their shapes");
        }
        inputs.push_back(t_.of(value));
        outputs.push_back(ops_.block().temporary(value.device(), value.shape, "result"));
    }
    ops_.block().add(OpCode::kWhileLoop, WhileLoopAttributes{{test, {}}, {body, {}}}, inputs,
                     outputs);
    for (std::size_t n = 0; n < outputs.size(); ++n) give(call, outputs[n], n);
}

void Lowering::call_once(const Call& call) {
    subgraphs_.run_once(call.needed_options<wire::CallOnceOptions>().init_subgraph_index(), call);
}

void Lowering::var_handle(const Call& call) {
    const auto& options = call.needed_options<wire::VarHandleOptions>();
    call.output().variable = subgraphs_.variable(std::string(view(options.shared_name())));
}

void Lowering::read_variable(const Call& call) {
    const Value& handle = call.input(0);
    if (!handle.variable) call.illegal("input 0", handle.name, "the operand is a variable");
    const Value& output = call.output();
    Variable& variable = ops_.block().graph().variables[*handle.variable];
    if (variable.type == DType::kUnknown) {  // not initialised: zeros
        variable.type = output.device();
        variable.shape = output.shape;
    }
    give(call, ops_.block().add(OpCode::kVariableRead, VariableAttributes{*handle.variable}, {},
                                variable.type, variable.shape, "read"));
}

void Lowering::assign_variable(const Call& call) {
    const Value& handle = call.input(0);
    Value& value = call.input(1);
    if (!handle.variable) call.illegal("input 0", handle.name, "the operand is a variable");
    Variable& variable = ops_.block().graph().variables[*handle.variable];
    if (variable.type == DType::kUnknown) {
        variable.type = value.device();
        variable.shape = value.shape;
    }
    if (variable.type != value.device() || variable.shape != value.shape) {
        throw UnsupportedPart("a variable that changes its type or shape");
    }
    ops_.block().add(OpCode::kVariableWrite, VariableAttributes{*handle.variable}, {t_.of(value)},
                     {});
}

void Lowering::known_only(const Call&) { throw UnsupportedPart("operands that depend on data"); }

void Lowering::size_depends_on_data(const Call&) {
    throw UnsupportedPart("a result whose size depends on data");
}

void Lowering::complex_numbers(const Call&) { throw UnsupportedPart("complex numbers", true); }

}  // namespace okksim::sim::graph::tflite
