// SPDX-License-Identifier: Apache-2.0
// Convolutions that a BatchNormalization with known parameters follows: one convolution with scaled
// weights.
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

bool lower_scaled_convolution(const Call& call, const std::vector<double>& scale,
                              const std::vector<double>& offset) {
    const ConvolutionNode* node = call.context().convolution_of(call.input(0));
    if (node == nullptr) return false;
    const std::vector<Value*>& inputs = node->inputs;
    const bool has_bias = inputs.size() > 2 && inputs[2] != nullptr;
    if (!inputs[1]->known || (has_bias && !inputs[2]->known)) return false;
    std::vector<double> weights = reals(*inputs[1]->known), bias(scale.size(), 0.0);
    if (has_bias) bias = reals(*inputs[2]->known);
    const std::size_t each = weights.size() / scale.size();
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= scale[i / each];
    for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = bias[i] * scale[i] + offset[i];
    const ElementType type = inputs[1]->type;
    Context& context = call.context();
    const Shape line{static_cast<std::int64_t>(bias.size())};
    const Call scaled(
        call.walk(), context, *node->node, node->opset,
        {inputs[0], &known_temporary(context, make_array(type, inputs[1]->shape, weights)),
         &known_temporary(context, make_array(type, line, bias))},
        {&call.output(0)});
    // The convolution without the normalisation has no user, and is removed.
    lower::convolution(scaled);
    return true;
}

}  // namespace okksim::sim::graph::onnx
