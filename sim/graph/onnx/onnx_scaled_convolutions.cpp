// SPDX-License-Identifier: Apache-2.0
// Convolutions that a BatchNormalization with known parameters follows: one convolution with scaled
// weights.
#include <algorithm>
#include <cstring>

#include "sim/files/mapped_file.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_walk.h"

namespace okksim::sim::graph::onnx {

void Walk::note_convolution(const Scope& scope, const Call& call) {
    const NodeProto& node = call.node();
    const bool is_convolution = node.op_type == "Conv" && node.domain.empty();
    const bool is_main = scope.outer == nullptr && scope.function == nullptr;
    if (!is_convolution || !is_main || !call.has_output(0)) return;
    if (uses_.of(node.outputs[0]) != 1) return;
    convolutions_[&call.output(0)] = {&node, call.opset(), call.inputs()};
}

const ConvolutionNode* Walk::convolution_of(const Value& value) const {
    const auto found = convolutions_.find(&value);
    return found == convolutions_.end() ? nullptr : &found->second;
}

namespace {

/// Writes weights [filters, ...] with a factor per filter.
void write_scaled(const HostArray& array, const std::vector<double>& scale,
                  std::span<std::byte> to) {
    const std::size_t count = array.count(), each = count / scale.size();
    if (array.type != ElementType::kFloat32) {
        std::vector<double> values = reals(array);
        for (std::size_t i = 0; i < count; ++i) values[i] *= scale[i / each];
        const HostArray scaled = make_array(array.type, array.shape, values);
        std::copy(scaled.bytes.begin(), scaled.bytes.end(), to.begin());
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        float value = 0;
        std::memcpy(&value, array.bytes.data() + i * sizeof value, sizeof value);
        value = static_cast<float>(value * scale[i / each]);
        std::memcpy(to.data() + i * sizeof value, &value, sizeof value);
    }
    unmap_pages(array.bytes);
}

/// Returns the scaled weights, which are computed when they are needed.
Value& scaled_weights(const Call& call, const Value& weights, const std::vector<double>& scale) {
    const HostArray& array = *weights.known;
    Value& value = call.context().temporary();
    value.type = array.type;
    value.shape = array.shape;
    BlockBuilder& block = call.ops().block();
    const ConstantData data = block.graph().own_deferred(
        array.bytes.size(),
        [array, scale](std::span<std::byte> to) { write_scaled(array, scale, to); });
    value.declared = block.constant_bytes(device_type(array.type), array.shape, data, "scaled");
    return value;
}

}  // namespace

bool lower_scaled_convolution(const Call& call, const std::vector<double>& scale,
                              const std::vector<double>& offset) {
    const ConvolutionNode* node = call.context().convolution_of(call.input(0));
    if (node == nullptr) return false;
    const std::vector<Value*>& inputs = node->inputs;
    const bool has_bias = inputs.size() > 2 && inputs[2] != nullptr;
    if (!inputs[1]->known || (has_bias && !inputs[2]->known)) return false;
    std::vector<double> bias(scale.size(), 0.0);
    if (has_bias) bias = reals(*inputs[2]->known);
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = bias[i] * scale[i] + offset[i];
    const ElementType type = inputs[1]->type;
    Context& context = call.context();
    const Shape line{static_cast<std::int64_t>(bias.size())};
    const Call scaled(call.walk(), context, *node->node, node->opset,
                      {inputs[0], &scaled_weights(call, *inputs[1], scale),
                       &known_temporary(context, make_array(type, line, bias))},
                      {&call.output(0)});
    // The convolution without the normalisation has no user, and is removed.
    lower::convolution(scaled);
    return true;
}

}  // namespace okksim::sim::graph::onnx
