// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/onnx_run.h"

#include <memory>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "tests/reference/tosa/tosa_reference.h"

namespace okksim::tests::onnx {

namespace {

using reference::Value;
using sim::graph::FileWords;
using sim::graph::Graph;
using sim::graph::Tensor;

/// Converts elements of a file to those of the graph: pairs of words, and signed bits.
sim::graph::HostTensor to_graph(const Tensor& tensor, const std::vector<double>& numbers) {
    Value value = reference::make_value(tensor.type, tensor.shape.get());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto whole = static_cast<std::int64_t>(numbers[i]);
        if (value.is_float()) {
            value.real[i] = numbers[i];
        } else if (tensor.words != FileWords::kNone) {
            value.integer[2 * i] = static_cast<std::int32_t>(whole);
            value.integer[2 * i + 1] = whole >> 32;
        } else if (tensor.is_unsigned) {
            const bool is_byte = tensor.type == sim::graph::DType::kI8;
            value.integer[i] =
                is_byte ? static_cast<std::int8_t>(whole) : static_cast<std::int16_t>(whole);
        } else {
            value.integer[i] = whole;
        }
    }
    return reference::to_host(value);
}

Result from_graph(const Tensor& tensor, const Value& value) {
    Result result{value.shape, value.real};
    if (tensor.words != FileWords::kNone) {
        result.shape.pop_back();
        for (std::size_t i = 0; i < value.integer.size(); i += 2) {
            const std::int64_t low = value.integer[i] & 0xFFFFFFFF;
            result.values.push_back(static_cast<double>(value.integer[i + 1] * (1LL << 32) + low));
        }
        return result;
    }
    for (const std::int64_t each : value.integer) {
        const std::int64_t mask = tensor.type == sim::graph::DType::kI8 ? 0xFF : 0xFFFF;
        result.values.push_back(static_cast<double>(tensor.is_unsigned ? each & mask : each));
    }
    return result;
}

}  // namespace

Graph read_model(const std::string& file, const sim::graph::ReadOptions& options) {
    const auto bytes = std::make_shared<const std::string>(file);
    Graph graph =
        sim::graph::read_graph(std::as_bytes(std::span(*bytes)), bytes, "net.onnx", options);
    sim::graph::validate_graph(graph);
    return graph;
}

std::vector<Result> run(const std::string& file, const std::vector<std::vector<double>>& inputs,
                        const sim::graph::ReadOptions& options) {
    const Graph graph = read_model(file, options);
    const sim::graph::Block& main = graph.main();
    std::vector<sim::graph::HostTensor> values;
    for (std::size_t i = 0; i < main.inputs.size(); ++i) {
        values.push_back(to_graph(main.tensors[main.inputs[i]], inputs.at(i)));
    }
    const auto results =
        reference::run_reference(graph, values, {.bounds = false, .is_rounding = true});
    std::vector<Result> all;
    for (std::size_t i = 0; i < main.outputs.size(); ++i) {
        all.push_back(from_graph(main.tensors[main.outputs[i]], results.outputs[i]));
    }
    return all;
}

std::string refusal(const std::string& file, const sim::graph::ReadOptions& options) {
    try {
        read_model(file, options);
    } catch (const ProgramFault& fault) {
        return fault.what();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace okksim::tests::onnx
