// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/tosa/tosa_reference.h"

#include <cmath>
#include <optional>

#include "isa/base/errors.h"
#include "tests/reference/tosa/operators.h"

namespace okksim::reference {
namespace {

using sim::graph::Block;
using sim::graph::Graph;
using sim::graph::Operator;
using sim::graph::Tensor;

class Executor {
 public:
    Executor(const Graph& graph, const ReferenceOptions& options)
        : graph_(graph), options_(options) {
        for (const auto& variable : graph.variables) {
            states_.push_back(
                variable.initial_value.empty()
                    ? make_value(variable.type, variable.shape)
                    : constant(variable.type, variable.shape, variable.initial_value));
        }
    }

    std::vector<Value> run_block(tosa::BlockReference reference, std::vector<Value> inputs,
                                 const std::vector<Value>& captures) {
        const Block& block = graph_.block(reference);
        std::vector<std::optional<Value>> values(block.tensors.size());
        for (std::size_t i = 0; i < block.inputs.size(); ++i) {
            values[block.inputs[i]] = std::move(inputs[i]);
        }
        for (std::size_t i = 0; i < block.captures.size(); ++i) {
            values[block.captures[i]] = captures[i];
        }
        for (const Operator& op : block.operators) execute(block, op, values);
        std::vector<Value> outputs;
        for (const auto index : block.outputs) outputs.push_back(value_of(block, index, values));
        return outputs;
    }

    std::vector<Value> states() { return std::move(states_); }

 private:
    using Values = std::vector<std::optional<Value>>;

    static Value constant(DType type, const Shape& shape, std::span<const std::byte> data) {
        return from_host(sim::graph::constant_value(type, shape, data));
    }

    const Value& value_of(const Block& block, std::uint32_t index, Values& values) {
        const Tensor& tensor = block.tensors[index];
        if (tensor.variable) return states_[*tensor.variable];
        if (!values[index]) {
            OKKSIM_CHECK(tensor.has_data);
            values[index] = constant(tensor.type, tensor.shape, tensor.data);
        }
        return *values[index];
    }

    std::vector<Value> copies(const Block& block, std::span<const std::uint32_t> indices,
                              Values& values) {
        std::vector<Value> result;
        for (const auto index : indices) result.push_back(value_of(block, index, values));
        return result;
    }

    std::vector<Value> run_graph(const Block& block, const tosa::SubGraph& graph,
                                 std::vector<Value> inputs, Values& values) {
        return run_block(graph.block, std::move(inputs), copies(block, graph.captures, values));
    }

    void assign(const Operator& op, std::vector<Value> results, Values& values) {
        for (std::size_t i = 0; i < results.size(); ++i) {
            values[op.outputs[i]] = std::move(results[i]);
        }
    }

    void execute(const Block& block, const Operator& op, Values& values) {
        switch (op.op) {
            case OpCode::kConst:
            case OpCode::kConstShape:
            case OpCode::kVariable: return;
            case OpCode::kCustom:
                throw ConfigError("CUSTOM", "the reference does not know custom operators");
            case OpCode::kVariableRead:
                values[op.outputs[0]] =
                    states_[op.attributes_as<tosa::VariableAttributes>().variable];
                return;
            case OpCode::kVariableWrite:
                states_[op.attributes_as<tosa::VariableAttributes>().variable] =
                    value_of(block, op.inputs.back(), values);
                return;
            case OpCode::kCondIf: {
                const auto& graphs = op.attributes_as<tosa::CondIfAttributes>();
                const bool condition = value_of(block, op.inputs[0], values).integer[0] != 0;
                assign(op,
                       run_graph(block, condition ? graphs.then_graph : graphs.else_graph,
                                 copies(block, std::span(op.inputs).subspan(1), values), values),
                       values);
                return;
            }
            case OpCode::kWhileLoop: {
                const auto& graphs = op.attributes_as<tosa::WhileLoopAttributes>();
                std::vector<Value> state = copies(block, op.inputs, values);
                while (run_graph(block, graphs.cond_graph, state, values)[0].integer[0] != 0) {
                    state = run_graph(block, graphs.body_graph, std::move(state), values);
                }
                assign(op, std::move(state), values);
                return;
            }
            default: execute_operator(block, op, values);
        }
    }

    void execute_operator(const Block& block, const Operator& op, Values& values) {
        Node node{op, {}, {}, options_.bounds};
        for (const auto index : op.inputs) node.in.push_back(&value_of(block, index, values));
        for (const auto index : op.outputs) {
            const Tensor& tensor = block.tensors[index];
            values[index] = make_value(tensor.type, tensor.shape);
            node.out.push_back(&*values[index]);
        }
        evaluate(node);
        if (!options_.is_rounding) return;
        for (Value* const value : node.out) {
            for (double& x : value->real) x = rounded(value->type, x);
        }
    }

    static double rounded(DType type, double x) {
        const double result = round_to(type, x);
        const double least = std::ldexp(1.0, float_format(type).lowest_exponent);
        return std::abs(result) < least ? std::copysign(0.0, result) : result;
    }

    static void evaluate(const Node& node);

    const Graph& graph_;
    ReferenceOptions options_;
    std::vector<Value> states_;
};

void Executor::evaluate(const Node& node) {
    switch (node.op.op) {
        case OpCode::kConv2d:
        case OpCode::kConv3d:
        case OpCode::kDepthwiseConv2d:
        case OpCode::kTransposeConv2d:
        case OpCode::kMatmul: convolution(node); return;
        case OpCode::kAvgPool2d:
        case OpCode::kMaxPool2d: pooling(node); return;
        case OpCode::kFft2d:
        case OpCode::kRfft2d: fourier(node); return;
        case OpCode::kArgmax:
        case OpCode::kReduceAll:
        case OpCode::kReduceAny:
        case OpCode::kReduceMax:
        case OpCode::kReduceMin:
        case OpCode::kReduceProduct:
        case OpCode::kReduceSum: reduction(node); return;
        case OpCode::kConcat:
        case OpCode::kPad:
        case OpCode::kReshape:
        case OpCode::kReverse:
        case OpCode::kSlice:
        case OpCode::kTile:
        case OpCode::kTranspose:
        case OpCode::kGather:
        case OpCode::kScatter: data_layout(node); return;
        case OpCode::kResize: resize(node); return;
        case OpCode::kCast:
        case OpCode::kRescale:
        case OpCode::kTable: conversion(node); return;
        case OpCode::kIdentity:
            // Also how files read and write variables.
            *node.out[0] = *node.in[0];
            return;
        default: elementwise(node);
    }
}

}  // namespace

ReferenceResult run_reference(const sim::graph::Graph& graph,
                              std::span<const sim::graph::HostTensor> inputs,
                              const ReferenceOptions& options) {
    Executor executor(graph, options);
    std::vector<Value> values;
    for (const auto& input : inputs) values.push_back(from_host(input));
    ReferenceResult result;
    result.outputs = executor.run_block(graph.entry, std::move(values), {});
    result.variables = executor.states();
    return result;
}

}  // namespace okksim::reference
