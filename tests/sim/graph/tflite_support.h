// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "isa/base/fault.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/validate.h"
#include "tests/reference/tosa/tosa_reference.h"
#include "tests/sim/graph/tflite_writer.h"

/// Reads and runs files of TensorFlow Lite.
namespace okksim::tests::tflite_files {
using namespace sim::graph;
namespace wire = tflite_wire;
using Type = wire::TensorType;
using Integers = std::vector<std::int64_t>;

inline Graph read(const std::vector<std::uint8_t>& file, const ReadOptions& options = {}) {
    const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(file);
    Graph graph = read_graph(std::as_bytes(std::span(*bytes)), bytes, "net.tflite", options);
    validate_graph(graph);
    return graph;
}

inline std::string refusal(const std::vector<std::uint8_t>& file) {
    try {
        read(file);
    } catch (const ProgramFault& fault) {
        return fault.what();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}
inline std::string refusal(const TfliteWriter& file) { return refusal(file.bytes()); }

/// Runs a graph on inputs of integers, with the types of the graph.
inline std::vector<reference::Value> run(const Graph& graph, const std::vector<Integers>& inputs) {
    std::vector<HostTensor> values;
    const Block& main = graph.main();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Tensor& tensor = main.tensors[main.inputs[i]];
        reference::Value value = reference::make_value(tensor.type, tensor.shape);
        if (value.is_float()) {
            value.real.assign(inputs[i].begin(), inputs[i].end());
        } else {
            value.integer = inputs[i];
        }
        values.push_back(reference::to_host(value));
    }
    return reference::run_reference(graph, values).outputs;
}
inline Integers integers(const TfliteWriter& file, const std::vector<Integers>& inputs) {
    return run(read(file.bytes()), inputs)[0].integer;
}
inline std::vector<double> reals(const TfliteWriter& file, const std::vector<Integers>& inputs) {
    return run(read(file.bytes()), inputs)[0].real;
}

}  // namespace okksim::tests::tflite_files
