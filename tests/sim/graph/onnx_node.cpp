// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/onnx_node.h"

namespace okksim::tests::onnx {

namespace {

Message weight(const std::string& name, const Operand& operand) {
    if (operand.type == kFloat) {
        return tensor(name, operand.shape,
                      std::vector<float>(operand.values.begin(), operand.values.end()));
    }
    const std::vector<std::int64_t> whole(operand.values.begin(), operand.values.end());
    const int bytes = operand.type == kInt64   ? 8
                      : operand.type == kInt32 ? 4
                      : operand.type == kInt16 ? 2
                                               : 1;
    return tensor(name, operand.type, bytes, operand.shape, whole);
}

/// Returns elements of N,C,H,W as N,H,W,C.
std::vector<double> with_channels_last(const Operand& operand) {
    const Shape& s = operand.shape;
    std::vector<double> result;
    for (std::int64_t n = 0; n < s[0]; ++n) {
        for (std::int64_t at = 0; at < s[2] * s[3]; ++at) {
            for (std::int64_t c = 0; c < s[1]; ++c) {
                const std::int64_t from = (n * s[1] + c) * s[2] * s[3] + at;
                result.push_back(operand.values[static_cast<std::size_t>(from)]);
            }
        }
    }
    return result;
}

}  // namespace

Operand real(const Shape& shape, const std::vector<double>& values) { return {shape, values}; }

Operand known_real(const Shape& shape, const std::vector<double>& values) {
    return {shape, values, kFloat, true};
}

Operand known_list(const std::vector<double>& values) {
    return {{static_cast<std::int64_t>(values.size())}, values, kInt64, true};
}

Operand absent() {
    Operand operand;
    operand.is_absent = true;
    return operand;
}

std::vector<double> counted(std::size_t count, double first, double step) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(first + static_cast<double>(i) * step);
    }
    return values;
}

std::string model_of(const Node& node) {
    GraphMessage graph;
    std::vector<std::string> inputs, outputs;
    for (const Operand& operand : node.operands) {
        std::string name = "x" + std::to_string(inputs.size());
        inputs.push_back(operand.is_absent ? "" : name);
        if (operand.is_absent) continue;
        if (operand.is_known) {
            graph.weight(weight(name, operand));
        } else if (operand.is_channels_last) {
            const Shape& s = operand.shape;
            graph.input(name + "_last", {s[0], s[2], s[3], s[1]}, operand.type);
            graph.add("Transpose", {name + "_last"}, {name},
                      {attribute("perm", std::vector<std::int64_t>{0, 3, 1, 2})});
        } else {
            graph.input(name, operand.shape, operand.type);
        }
    }
    for (std::size_t n = 0; n < node.results; ++n) outputs.push_back("y" + std::to_string(n));
    graph.add(node.op, inputs, outputs, node.attributes, node.domain);
    for (const std::string& name : outputs) graph.output(name);
    const Message more = node.domain.empty() ? Message() : opset_field(8, node.domain, 1);
    return model(graph, node.opset, more);
}

std::vector<Result> run_node(const Node& node) {
    std::vector<std::vector<double>> inputs;
    for (const Operand& operand : node.operands) {
        if (operand.is_known || operand.is_absent) continue;
        inputs.push_back(operand.is_channels_last ? with_channels_last(operand) : operand.values);
    }
    return run(model_of(node), inputs);
}

std::vector<double> values_of(const Node& node) { return run_node(node).at(0).values; }

std::string refusal_of(const Node& node) { return refusal(model_of(node)); }

}  // namespace okksim::tests::onnx
