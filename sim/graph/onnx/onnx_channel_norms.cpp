// SPDX-License-Identifier: Apache-2.0
// Normalisations of the channels of feature maps.
#include "sim/graph/compose/normalisation.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// Refuses a parameter that has not one real number for each of `count` channels or groups.
void require_line(const Call& call, std::size_t n, std::int64_t count) {
    require_reals(call, n);
    const Value& value = call.input(n);
    call.require(value.shape == Shape{count}, "input " + std::to_string(n), shape_text(value.shape),
                 "the operand has " + std::to_string(count) + " elements");
}

/// Returns a parameter [C] in the type of the feature map.
TensorIndex line(const Call& call, std::size_t n) {
    return onnx::cast(call.ops(), call.input(n).type, call.input(0).type, call.tensor(n));
}

/// Operator sets before 9 may have parameters for each element of an image.
void normalise_elements(const Call& call, double epsilon) {
    Value& x = call.input(0);
    Shape shape = x.shape;
    shape[0] = 1;
    std::vector<std::vector<double>> parameters;
    for (std::size_t n = 1; n < 5; ++n) {
        parameters.push_back(call.known_reals(n, "parameters of each element"));
        call.require(static_cast<std::int64_t>(parameters.back().size()) == elements_of(shape),
                     "input " + std::to_string(n), shape_text(call.input(n).shape),
                     "the operand has the shape of an image, " + shape_text(shape));
    }
    const compose::ChannelLines lines = compose::fold_batch_norm(
        parameters[0], parameters[1], parameters[2], parameters[3], epsilon);
    OperatorBuilder& ops = call.ops();
    const TensorIndex scale =
        call.tensors().constant(make_array(x.type, shape, lines.scale), "scale");
    const TensorIndex offset =
        call.tensors().constant(make_array(x.type, shape, lines.offset), "offset");
    call.set_tensor(0, x.type, x.shape,
                    ops.binary(OpCode::kAdd, ops.product(call.tensor(0), scale, "scaled"), offset,
                               "normalised"));
}

void require_inference(const Call& call) {
    const bool is_training =
        call.opset() >= 14 ? call.integer("training_mode", 0) != 0
                           : call.output_count() > 1 && (call.has_output(1) || call.has_output(2));
    if (is_training) throw UnsupportedPart("training");
}

}  // namespace

void batch_normalization(const Call& call) {
    call.require_inputs(5, 5);
    require_reals(call);
    require_rank(call, 0, 2);
    require_inference(call);
    Value& x = call.input(0);
    const double epsilon = call.real("epsilon", 1e-5);
    if (call.opset() < 9 && call.integer("spatial", 1) == 0) {
        return normalise_elements(call, epsilon);
    }
    bool is_known = true;
    for (std::size_t n = 1; n < 5; ++n) {
        require_line(call, n, x.shape[1]);
        is_known = is_known && call.input(n).known;
    }
    if (elements_of(x.shape) == 0) return set_empty(call, 0, x.type, x.shape);
    const Aligned order = call.aligned(0);
    OperatorBuilder& ops = call.ops();
    TensorIndex result = 0;
    if (is_known) {
        const auto values = [&](std::size_t n) { return reals(*call.input(n).known); };
        const compose::ChannelLines lines =
            compose::fold_batch_norm(values(1), values(2), values(3), values(4), epsilon);
        if (lower_scaled_convolution(call, lines.scale, lines.offset)) return;
        result = compose::scale_channels(ops, order.tensors[0], order.place(1), lines);
    } else {
        const compose::BatchNormOperands operands{line(call, 1), line(call, 2), line(call, 3),
                                                  line(call, 4)};
        result = compose::batch_norm(ops, order.tensors[0], order.place(1), operands, epsilon);
    }
    call.set_aligned(0, x.type, x.shape, order, result);
}

void instance_normalization(const Call& call) {
    call.require_inputs(3, 3);
    require_reals(call);
    require_rank(call, 0, 3);
    Value& x = call.input(0);
    require_line(call, 1, x.shape[1]);
    require_line(call, 2, x.shape[1]);
    call.set_channels_last(
        0, x.type, x.shape,
        compose::instance_norm(call.ops(), call.channels_last(0), call.real("epsilon", 1e-5),
                               line(call, 1), line(call, 2)));
}

void group_normalization(const Call& call) {
    call.require_inputs(3, 3);
    require_reals(call);
    require_rank(call, 0, 3);
    Value& x = call.input(0);
    const std::int64_t groups = call.required_integer("num_groups"), channels = x.shape[1];
    call.require(groups > 0 && channels % groups == 0, "num_groups", std::to_string(groups),
                 "the number divides the channels, " + std::to_string(channels));
    const std::int64_t count = call.opset() < 21 ? groups : channels;
    require_line(call, 1, count);
    require_line(call, 2, count);
    call.set_channels_last(
        0, x.type, x.shape,
        compose::group_norm(call.ops(), call.channels_last(0), groups, call.real("epsilon", 1e-5),
                            line(call, 1), line(call, 2)));
}

void local_response_normalization(const Call& call) {
    call.require_inputs(1, 1);
    require_reals(call);
    require_rank(call, 0, 2);
    Value& x = call.input(0);
    const std::int64_t size = call.required_integer("size");
    call.require(size > 0, "size", std::to_string(size), "the size is 1 or more");
    const Aligned order = call.aligned(0);
    call.set_aligned(0, x.type, x.shape, order,
                     compose::local_response_normalisation(
                         call.ops(), order.tensors[0], size,
                         call.real("alpha", 1e-4) / static_cast<double>(size),
                         call.real("beta", 0.75), call.real("bias", 1), order.place(1)));
}

}  // namespace okksim::sim::graph::onnx::lower
