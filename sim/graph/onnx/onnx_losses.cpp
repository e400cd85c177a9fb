// SPDX-License-Identifier: Apache-2.0
// Losses of classifications, which exporters leave in models for evaluation.
#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/normalisation.h"
#include "sim/graph/compose/reductions.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

void check_loss(const Call& call) {
    call.require_inputs(2, 3);
    require_reals(call);
    require_rank(call, 0, 2);
    require_indices(call, 1);
    const Value& x = call.input(0);
    Shape targets = x.shape;
    targets.erase(targets.begin() + 1);
    call.require(call.input(1).shape == targets, "input 1", shape_text(call.input(1).shape),
                 "each sample has a class: " + shape_text(targets));
    if (!call.has_input(2)) return;
    call.require_same_type({&call.input(0), &call.input(2)});
    call.require(call.input(2).shape == Shape{x.shape[1]}, "input 2",
                 shape_text(call.input(2).shape), "each class has a weight");
}

/// Returns the weight of each class (N, C, ...) where it is the sample's class, otherwise 0.
TensorIndex weights_of_targets(const Call& call) {
    OperatorBuilder& ops = call.ops();
    const Value& x = call.input(0);
    const DType type = device_type(x.type);
    TensorIndex targets = call.tensor(1);
    if (call.has_attribute("ignore_index")) {
        // An ignored class becomes -1, which no class is.
        const std::size_t rank = ops.rank(targets);
        const auto ignored = static_cast<double>(call.integer("ignore_index", 0));
        const TensorIndex is_ignored =
            ops.test(OpCode::kEqual, targets, ops.number(DType::kI32, rank, ignored), "is_ignored");
        targets = ops.select(is_ignored, ops.number(DType::kI32, rank, -1), targets, "counted");
    }
    const TensorIndex hits = compose::one_hot(ops, targets, x.shape[1], ops.number(type, 1, 1),
                                              ops.number(type, 1, 0), 1, false);
    if (!call.has_input(2)) return hits;
    Shape shape(x.rank(), 1);
    shape[1] = x.shape[1];
    return ops.product(hits, ops.reshape(call.tensor(2), shape, "class_weights"), "weights");
}

/// Sets result 0 from the logarithms of probabilities.
void set_loss(const Call& call, TensorIndex logarithms) {
    using compose::Reduction;
    const std::string_view reduction = call.text("reduction", "mean");
    call.require(reduction == "none" || reduction == "sum" || reduction == "mean", "reduction",
                 std::string(reduction), "it is none, sum or mean");
    OperatorBuilder& ops = call.ops();
    const ElementType type = call.input(0).type;
    const std::size_t rank = ops.rank(logarithms);
    const TensorIndex weights = weights_of_targets(call);
    // Probabilities of 0 of other classes must not count: 0 times -infinity is NaN.
    const TensorIndex zero = ops.number(ops.type(logarithms), rank, 0);
    const TensorIndex terms = ops.select(ops.test(OpCode::kEqual, weights, zero, "is_other"), zero,
                                         ops.product(logarithms, weights, "weighted"), "terms");
    if (reduction == "none") {
        const TensorIndex sums = compose::reduce(ops, Reduction::kSum, terms, {1}, false);
        return call.set_tensor(0, type, call.input(1).shape, compose::negative(ops, sums));
    }
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < rank; ++i) all.push_back(i);
    TensorIndex loss =
        compose::negative(ops, compose::reduce(ops, Reduction::kSum, terms, all, false));
    if (reduction == "mean") {
        loss =
            compose::divide(ops, loss, compose::reduce(ops, Reduction::kSum, weights, all, false));
    }
    call.set_tensor(0, type, {}, loss);
}

}  // namespace

void negative_log_likelihood(const Call& call) {
    check_loss(call);
    set_loss(call, call.tensor(0));
}

void softmax_cross_entropy(const Call& call) {
    check_loss(call);
    const Value& x = call.input(0);
    const TensorIndex logarithms = compose::log_softmax(call.ops(), call.tensor(0), {1});
    set_loss(call, logarithms);
    call.set_tensor(1, x.type, x.shape, logarithms);
}

}  // namespace okksim::sim::graph::onnx::lower
