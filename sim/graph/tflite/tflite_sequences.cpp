// SPDX-License-Identifier: Apache-2.0
// Recurrent layers. Their states start at 0, which is the state of a first run.
#include <algorithm>
#include <array>

#include "sim/graph/compose/recurrent.h"
#include "sim/graph/tflite/tflite_lowering.h"

namespace okksim::sim::graph::tflite {

namespace {

using Kind = compose::Activation::Kind;

compose::Activation function_of(Activation activation) {
    switch (activation) {
        case Activation::NONE: return {Kind::kNone, {}, {}};
        case Activation::RELU: return {Kind::kRelu, {}, {}};
        case Activation::TANH: return {Kind::kTanh, {}, {}};
        default: throw UnsupportedPart("that activation of a recurrent layer");
    }
}

/// Every step becomes operators of the graph.
void check_steps(std::int64_t steps) {
    constexpr std::int64_t kMostSteps = 4096;
    if (steps > kMostSteps) throw UnsupportedPart("more than 4096 steps");
}

/// Joins known values along the first dimension, as real numbers.
class Joined {
 public:
    Joined(const Call& call, std::initializer_list<std::size_t> inputs) {
        for (const std::size_t n : inputs) {
            const Value& value = call.input(n);
            if (!value.is_known) throw UnsupportedPart("weights that depend on data");
            if (value.rank() < 1 || (!shape.empty() && shape.size() != value.rank())) {
                call.illegal("input " + value.name, shape_text(value.shape),
                             "the weights of the gates have one rank");
            }
            const float unit = unit_of(call, value, n);
            for (const float part : known_reals(value)) values.push_back(part * unit);
            const std::int64_t rows = shape.empty() ? 0 : shape[0];
            shape = value.shape;
            shape[0] += rows;
        }
    }

    /// A bias of integers may lack its scale, which is that of the input times the weights'.
    static float unit_of(const Call& call, const Value& value, std::size_t n) {
        constexpr std::size_t kFirstBias = 12, kFromWeights = 11;
        if (value.type != TensorType::INT32 || value.quantisation.exists() || n < kFirstBias) {
            return 1;
        }
        const Value& x = call.input(0);
        const Value& weights = call.input(n - kFromWeights);
        if (!x.is_quantised() || !weights.is_quantised()) return 1;
        return static_cast<float>(x.scale() * weights.scale());
    }

    void require(const Call& call, const Shape& wanted) const {
        if (shape == wanted) return;
        call.illegal("weights", shape_text(shape), "the gates together have " + shape_text(wanted));
    }

    Shape shape;
    std::vector<float> values;
};

}  // namespace

void Lowering::sequence_lstm(const Call& call) {
    const auto& options = call.needed_options<wire::UnidirectionalSequenceLSTMOptions>();
    Value& x = call.input(0);
    call.require_rank(x, 3);
    for (std::size_t n = 20; n < 24; ++n) {
        if (call.has(n)) throw UnsupportedPart("the normalisation of the gates");
    }
    if (options.diagonal_recurrent_tensors()) throw UnsupportedPart("diagonal weights");
    const bool is_coupled = !call.has(1);
    const std::size_t first_w = is_coupled ? 2 : 1, first_r = is_coupled ? 6 : 5,
                      first_b = is_coupled ? 13 : 12;
    const Joined w(call, {first_w, 2, 3, 4}), r(call, {first_r, 6, 7, 8}),
        b(call, {first_b, 13, 14, 15});
    const std::int64_t hidden = call.input(2).shape[0];
    const std::int64_t outputs = call.has(16) ? call.input(16).shape[0] : hidden;
    w.require(call, {4 * hidden, x.shape[2]});
    r.require(call, {4 * hidden, outputs});
    b.require(call, {4 * hidden});
    compose::LstmDirection direction;
    direction.weights.w = t_.reals(w.shape, w.values, "weights");
    direction.weights.r = t_.reals(r.shape, r.values, "recurrent");
    direction.weights.x_bias = t_.reals(b.shape, b.values, "bias");
    direction.cell = direction.hidden = function_of(options.activation());
    if (call.has(11)) {
        const Joined peepholes(call, {is_coupled ? std::size_t{10} : std::size_t{9}, 11, 10});
        peepholes.require(call, {3 * hidden});
        direction.weights.peepholes = t_.reals(peepholes.shape, peepholes.values, "peepholes");
    }
    if (call.has(16)) direction.projection = t_.real(call.input(16));
    if (call.has(17)) direction.projection_bias = t_.real(call.input(17));
    compose::LstmOptions with;
    with.common.hidden = hidden;
    with.gates = {0, 3, 1, 2};  // the file's order: input, forget, cell, output
    if (is_coupled) with.coupling = compose::GateCoupling::kInputFromForget;
    if (options.proj_clip() != 0) {
        with.projection_clip = static_cast<double>(options.proj_clip());
    }
    if (options.cell_clip() != 0) with.cell_clip = static_cast<double>(options.cell_clip());
    const bool is_time_first = options.time_major();
    check_steps(x.shape[0] + x.shape[1]);
    TensorIndex steps = t_.real(x);
    if (!is_time_first) steps = ops_.transpose(steps, {1, 0, 2}, "by_time");
    const TensorIndex y = compose::lstm(ops_, steps, {direction}, with).y;
    const Shape& s = ops_.shape(steps);
    TensorIndex result = ops_.reshape(y, {s[0], s[1], outputs}, "steps");
    if (!is_time_first) result = ops_.transpose(result, {1, 0, 2}, "by_batch");
    in_reals(call, result);
}

void Lowering::sequence_rnn(const Call& call) {
    const auto& options = call.needed_options<wire::SequenceRNNOptions>();
    Value& x = call.input(0);
    call.require_rank(x, 3);
    const Joined w(call, {1}), r(call, {2}), b(call, {3});
    const std::int64_t hidden = w.shape[0];
    w.require(call, {hidden, x.shape[2]});
    r.require(call, {hidden, hidden});
    b.require(call, {hidden});
    compose::RnnDirection direction;
    direction.weights.w = t_.reals(w.shape, w.values, "weights");
    direction.weights.r = t_.reals(r.shape, r.values, "recurrent");
    direction.weights.x_bias = t_.reals(b.shape, b.values, "bias");
    direction.hidden = function_of(options.activation());
    compose::RecurrentOptions with;
    with.hidden = hidden;
    check_steps(x.shape[0] + x.shape[1]);
    TensorIndex steps = t_.real(x);
    if (!options.time_major()) steps = ops_.transpose(steps, {1, 0, 2}, "by_time");
    const TensorIndex y = compose::rnn(ops_, steps, {direction}, with).y;
    const Shape& s = ops_.shape(steps);
    TensorIndex result = ops_.reshape(y, {s[0], s[1], hidden}, "steps");
    if (!options.time_major()) result = ops_.transpose(result, {1, 0, 2}, "by_batch");
    in_reals(call, result);
}

// With a state of 0, only the newest time step counts: the last column of weights_time.
void Lowering::svdf(const Call& call) {
    const auto& options = call.needed_options<wire::SVDFOptions>();
    Value& x = call.input(0);
    call.require_rank(x, 2);
    const Joined features(call, {1}), times(call, {2});
    const std::int64_t filters = features.shape[0], rank = options.rank();
    features.require(call, {filters, x.shape[1]});
    if (rank < 1 || filters % rank != 0 || times.shape.size() != 2 || times.shape[0] != filters ||
        times.shape[1] < 1) {
        call.illegal("rank", std::to_string(rank),
                     "the filters, " + std::to_string(filters) + ", are a multiple of the rank");
    }
    std::vector<float> newest;
    for (std::int64_t i = 0; i < filters; ++i) {
        newest.push_back(times.values[static_cast<std::size_t>((i + 1) * times.shape[1] - 1)]);
    }
    const TensorIndex rows = ops_.reshape(t_.real(x), {x.shape[0], 1, 1, x.shape[1]}, "rows");
    const TensorIndex weights = t_.reals({filters, 1, 1, x.shape[1]}, features.values, "features");
    TensorIndex products = compose::convolution(ops_, rows, filter(weights, x.shape[1], 1),
                                                std::nullopt, compose::Windows(2), {});
    products = ops_.reshape(products, {x.shape[0], filters}, "filters");
    products = ops_.product(products, t_.reals({1, filters}, newest, "newest"), "weighted");
    products = ops_.reshape(products, {x.shape[0], filters / rank, rank}, "ranks");
    TensorIndex sums =
        ops_.reshape(ops_.reduce_sum(products, 2, "sum"), {x.shape[0], filters / rank}, "units");
    if (call.has(3)) sums = ops_.binary(OpCode::kAdd, sums, t_.real(call.input(3)), "biased");
    in_reals(call, sums, options.activation());
}

}  // namespace okksim::sim::graph::tflite
