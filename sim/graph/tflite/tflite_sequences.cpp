// SPDX-License-Identifier: Apache-2.0
// LSTM and RNN. Their states start at 0, unless the file or an input gives other ones.
#include <algorithm>
#include <array>

#include "sim/graph/compose/moves.h"
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
        constexpr std::size_t kFromWeights = 11;  // in LstmOperands
        if (value.type != TensorType::INT32 || value.quantisation.exists() || n < kFromWeights) {
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

/// Brings [B,T,...] to [T,B,...], and back.
TensorIndex exchanged(OperatorBuilder& ops, TensorIndex x, const char* role) {
    return ops.transpose(x, {1, 0, 2}, role);
}

/// Returns the initial state as real numbers, if there is one.
std::optional<TensorIndex> real_state(Tensors& tensors, const Call& call, std::size_t n,
                                      std::int64_t batch) {
    Value* value = initial_state(call, n);
    if (value == nullptr) return std::nullopt;
    if (value->rank() != 2 || value->shape[0] != batch) {
        call.illegal("state " + value->name, shape_text(value->shape),
                     "a state has a row per element of the batch, " + std::to_string(batch));
    }
    return tensors.real(*value);
}

}  // namespace

TensorIndex Lowering::lstm_direction(const Call& call, const LstmOperands& operands,
                                     const LstmLimits& limits, TensorIndex steps) {
    const Shape s = ops_.shape(steps);
    check_steps(s[0] + s[1]);
    if (is_integer_lstm(call, operands)) return integer_lstm(t_, call, operands, limits, steps);
    const bool is_coupled = !call.has(operands.weights);
    const std::size_t first = is_coupled ? 1 : 0;  // stands for the input gate that has no effect
    const auto gates = [&](std::size_t at) {
        return Joined(call, {at + first, at + 1, at + 2, at + 3});
    };
    const Joined w = gates(operands.weights), r = gates(operands.recurrent),
                 b = gates(operands.biases);
    const std::int64_t hidden = call.input(operands.weights + 1).shape[0];
    const bool projects = call.has(operands.projection);
    const std::int64_t outputs = projects ? call.input(operands.projection).shape[0] : hidden;
    w.require(call, {4 * hidden, s[2]});
    r.require(call, {4 * hidden, outputs});
    b.require(call, {4 * hidden});
    compose::LstmDirection direction;
    direction.weights.w = t_.reals(w.shape, w.values, "weights");
    direction.weights.r = t_.reals(r.shape, r.values, "recurrent");
    direction.weights.x_bias = t_.reals(b.shape, b.values, "bias");
    direction.weights.is_reverse = operands.is_reverse;
    direction.weights.initial_state = real_state(t_, call, operands.state, s[1]);
    direction.weights.initial_cell = real_state(t_, call, operands.cell, s[1]);
    direction.cell = direction.hidden = function_of(limits.activation);
    if (call.has(operands.peepholes + 2)) {
        const Joined peepholes(
            call, {operands.peepholes + first, operands.peepholes + 2, operands.peepholes + 1});
        peepholes.require(call, {3 * hidden});
        direction.weights.peepholes = t_.reals(peepholes.shape, peepholes.values, "peepholes");
    }
    if (projects) direction.projection = t_.real(call.input(operands.projection));
    if (call.has(operands.projection_bias)) {
        direction.projection_bias = t_.real(call.input(operands.projection_bias));
    }
    compose::LstmOptions with;
    with.common.hidden = hidden;
    with.gates = {0, 3, 1, 2};  // the file's order: input, forget, cell, output
    if (is_coupled) with.coupling = compose::GateCoupling::kInputFromForget;
    if (limits.projection != 0) with.projection_clip = limits.projection;
    if (limits.cell != 0) with.cell_clip = limits.cell;
    return ops_.reshape(compose::lstm(ops_, steps, {direction}, with).y, {s[0], s[1], outputs},
                        "steps");
}

TensorIndex Lowering::rnn_direction(const Call& call, std::size_t first, Activation activation,
                                    TensorIndex steps, bool is_reverse) {
    const Joined w(call, {first}), r(call, {first + 1}), b(call, {first + 2});
    const std::int64_t hidden = w.shape[0];
    const Shape s = ops_.shape(steps);
    check_steps(s[0] + s[1]);
    w.require(call, {hidden, s[2]});
    r.require(call, {hidden, hidden});
    b.require(call, {hidden});
    compose::RnnDirection direction;
    direction.weights.w = t_.reals(w.shape, w.values, "weights");
    direction.weights.r = t_.reals(r.shape, r.values, "recurrent");
    direction.weights.x_bias = t_.reals(b.shape, b.values, "bias");
    direction.weights.is_reverse = is_reverse;
    direction.weights.initial_state = real_state(t_, call, first + 3, s[1]);
    direction.hidden = function_of(activation);
    compose::RecurrentOptions with;
    with.hidden = hidden;
    return ops_.reshape(compose::rnn(ops_, steps, {direction}, with).y, {s[0], s[1], hidden},
                        "steps");
}

// Integers already have the form of the state.
void Lowering::give_steps(const Call& call, TensorIndex steps, const Value* state,
                          bool is_time_first, std::size_t n) {
    if (!is_time_first) steps = exchanged(ops_, steps, "by_batch");
    if (ops_.type(steps) != DType::kFp32) return give_moved(call, steps, *state, n);
    give(call, t_.quantised(steps, call.output(n)), n);
}

void Lowering::give_directions(const Call& call, TensorIndex forward, TensorIndex backward,
                               const Value* state, bool merges, bool is_time_first) {
    if (merges) {
        return give_steps(call, compose::concat(ops_, {forward, backward}, 2), state,
                          is_time_first);
    }
    give_steps(call, forward, state, is_time_first, 0);
    give_steps(call, backward, state, is_time_first, 1);
}

namespace {

/// Returns the steps [T,B,I]: integers for a layer of integers, else real numbers.
TensorIndex steps_of(Tensors& tensors, const Call& call, bool is_integer, bool is_time_first) {
    Value& x = call.input(0);
    call.require_rank(x, 3);
    const TensorIndex steps = is_integer ? tensors.of(x) : tensors.real(x);
    return is_time_first ? steps : exchanged(tensors.ops(), steps, "by_time");
}

template <typename Options>
LstmLimits limits_of_cell(const Options& options) {
    return {options.activation(), static_cast<double>(options.cell_clip()),
            static_cast<double>(options.proj_clip())};
}

void refuse_normalisation(const Call& call) {
    for (std::size_t n = 20; n < 24; ++n) {
        if (call.has(n)) throw UnsupportedPart("the normalisation of the gates");
    }
}

}  // namespace

void Lowering::sequence_lstm(const Call& call) {
    const auto& options = call.needed_options<wire::UnidirectionalSequenceLSTMOptions>();
    refuse_normalisation(call);
    if (options.diagonal_recurrent_tensors()) throw UnsupportedPart("diagonal weights");
    const LstmOperands operands;
    const TensorIndex steps =
        steps_of(t_, call, is_integer_lstm(call, operands), options.time_major());
    give_steps(call, lstm_direction(call, operands, limits_of_cell(options), steps),
               call.optional(operands.state), options.time_major());
}

void Lowering::bidirectional_lstm(const Call& call) {
    const auto& options = call.needed_options<wire::BidirectionalSequenceLSTMOptions>();
    constexpr LstmOperands kForward{1, 5, 9, 12, 16, 17, 35, 36, false};
    constexpr LstmOperands kBackward{18, 22, 26, 29, 33, 34, 37, 38, true};
    constexpr std::size_t kAuxiliary = 39;
    if (call.has(kAuxiliary)) throw UnsupportedPart("an auxiliary input");
    const bool is_integer = is_integer_lstm(call, kForward);
    if (is_integer != is_integer_lstm(call, kBackward)) {
        throw UnsupportedPart("directions of different types");
    }
    const TensorIndex steps = steps_of(t_, call, is_integer, options.time_major());
    const LstmLimits limits = limits_of_cell(options);
    const TensorIndex forward = lstm_direction(call, kForward, limits, steps);
    give_directions(call, forward, lstm_direction(call, kBackward, limits, steps),
                    call.optional(kForward.state), options.merge_outputs(), options.time_major());
}

void Lowering::single_lstm(const Call& call) {
    const auto& options = call.needed_options<wire::LSTMOptions>();
    if (options.kernel_type() != 0 || call.outputs.size() != 1) {
        throw UnsupportedPart("the basic kernel");
    }
    refuse_normalisation(call);
    Value& x = call.input(0);
    call.require_rank(x, 2);
    const LstmOperands operands;
    const TensorIndex row = is_integer_lstm(call, operands) ? t_.of(x) : t_.real(x);
    const TensorIndex y = lstm_direction(call, operands, limits_of_cell(options),
                                         ops_.reshape(row, {1, x.shape[0], x.shape[1]}, "step"));
    const Shape s = ops_.shape(y);
    give_steps(call, ops_.reshape(y, {s[1], s[2]}, "row"), call.optional(operands.state), true);
}

void Lowering::sequence_rnn(const Call& call) {
    const auto& options = call.needed_options<wire::SequenceRNNOptions>();
    const TensorIndex steps = steps_of(t_, call, false, options.time_major());
    give_steps(call, rnn_direction(call, 1, options.activation(), steps, false), nullptr,
               options.time_major());
}

void Lowering::bidirectional_rnn(const Call& call) {
    const auto& options = call.needed_options<wire::BidirectionalSequenceRNNOptions>();
    constexpr std::size_t kForward = 1, kBackward = 5, kAuxiliary = 9;
    if (call.has(kAuxiliary)) throw UnsupportedPart("an auxiliary input");
    const TensorIndex steps = steps_of(t_, call, false, options.time_major());
    const TensorIndex forward = rnn_direction(call, kForward, options.activation(), steps, false);
    give_directions(call, forward,
                    rnn_direction(call, kBackward, options.activation(), steps, true), nullptr,
                    options.merge_outputs(), options.time_major());
}

void Lowering::single_rnn(const Call& call) {
    Value& x = call.input(0);
    call.require_rank(x, 2);
    const TensorIndex step = ops_.reshape(t_.real(x), {1, x.shape[0], x.shape[1]}, "step");
    const TensorIndex y =
        rnn_direction(call, 1, call.needed_options<wire::RNNOptions>().activation(), step, false);
    const Shape s = ops_.shape(y);
    give_steps(call, ops_.reshape(y, {s[1], s[2]}, "row"), nullptr, true);
}

}  // namespace okksim::sim::graph::tflite
