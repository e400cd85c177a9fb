// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/recurrent_direction.h"

#include <algorithm>

#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/moves.h"

namespace okksim::sim::graph::compose {

namespace {

/// The last dimension of weights whose other dimensions hold `rows` elements.
std::int64_t row_length(OperatorBuilder& ops, TensorIndex weights, std::int64_t rows) {
    return extent(ops.shape(weights)) / rows;
}

}  // namespace

RecurrentDirection::RecurrentDirection(OperatorBuilder& ops, TensorIndex x,
                                       const RecurrentWeights& weights,
                                       const RecurrentOptions& options, std::int64_t gates,
                                       std::optional<TensorIndex> bias)
    : ops_(ops),
      weights_(weights),
      options_(options),
      type_(ops.type(x)),
      steps_(ops.shape(x)[0]),
      rows_(ops.shape(x)[1]) {
    const std::int64_t inputs = ops.shape(x)[2];
    const std::int64_t columns = gates * options.hidden;
    const TensorIndex w =
        rearranged(ops, weights.w, {1, columns, inputs}, {0, 2, 1}, {1, inputs, columns});
    const TensorIndex all = ops.reshape(x, {1, steps_ * rows_, inputs}, "all_steps");
    Real product(ops, matrix_product(ops, all, w, "all_gates"));
    if (bias) product = product + line(*bias);
    gates_ = ops.reshape(product.tensor(), {steps_, rows_, columns}, "gates");
}

DirectionResults RecurrentDirection::run(const Step& step) const {
    RecurrentStates states = initial_states();
    std::vector<TensorIndex> results;
    const std::int64_t last = last_step();
    for (std::int64_t i = 0; i < last; ++i) {
        const std::int64_t t = weights_.is_reverse ? last - 1 - i : i;
        const RecurrentStates next = step({ops_, part(ops_, gates_, 0, t, 1)}, states);
        const auto active = active_rows(t);
        Real y = next.hidden;
        if (active) {
            y = choose(*active, next.hidden, next.hidden.number(0));
            states.hidden = choose(*active, next.hidden, states.hidden);
            states.cell = choose(*active, next.cell, states.cell);
            states.has_hidden = states.has_cell = true;
        } else {
            states = next;
        }
        results.push_back(ops_.cast(y.tensor(), type_, "y"));
    }
    const TensorIndex hidden = state_result(states.hidden);
    const bool has_cell = states.cell.tensor() != states.hidden.tensor();
    return {in_order(std::move(results)), hidden, has_cell ? state_result(states.cell) : hidden};
}

TensorIndex RecurrentDirection::state_weights(std::int64_t first, std::int64_t count) const {
    const std::int64_t rows = count * options_.hidden;
    const std::int64_t all = ops_.rank(weights_.r) == 2
                                 ? ops_.shape(weights_.r)[0]
                                 : ops_.shape(weights_.r)[0] * ops_.shape(weights_.r)[1];
    const std::int64_t length = row_length(ops_, weights_.r, all);
    const TensorIndex whole =
        rearranged(ops_, weights_.r, {1, all, length}, {0, 2, 1}, {1, length, all});
    return part(ops_, whole, 2, first * options_.hidden, rows);
}

Real RecurrentDirection::product(const Real& state, TensorIndex weights) const {
    const TensorIndex narrow = ops_.cast(state.tensor(), ops_.type(weights), "state");
    return {ops_, matrix_product(ops_, narrow, weights, "of_state")};
}

Real RecurrentDirection::gate(const Real& gates, std::int64_t first, std::int64_t count) const {
    return {ops_, part(ops_, gates.tensor(), 2, first * options_.hidden, count * options_.hidden)};
}

Real RecurrentDirection::activated(const Real& x, const Activation& activation) const {
    return {ops_, activate(ops_, bounded(x).tensor(), activation)};
}

Real RecurrentDirection::bounded(const Real& x) const {
    return options_.clip ? limited(x, -*options_.clip, *options_.clip) : x;
}

Real RecurrentDirection::line(TensorIndex values) const {
    const std::int64_t count = extent(ops_.shape(values));
    return widened(ops_, reshaped(ops_, values, {1, 1, count}));
}

RecurrentStates RecurrentDirection::initial_states() const {
    const auto state = [&](std::optional<TensorIndex> given) {
        if (!given) return Real(ops_, ops_.number(DType::kFp32, 3, 0));
        const std::int64_t size = extent(ops_.shape(*given)) / rows_;
        return widened(ops_, reshaped(ops_, *given, {1, rows_, size}));
    };
    return {state(weights_.initial_state), state(weights_.initial_cell),
            weights_.initial_state.has_value(), weights_.initial_cell.has_value()};
}

/// Rows whose length exceeds the step, as kBool [1,B,1]; nothing if all do.
std::optional<TensorIndex> RecurrentDirection::active_rows(std::int64_t step) const {
    if (options_.run_time_lengths) {
        const TensorIndex lengths =
            ops_.reshape(*options_.run_time_lengths, {1, rows_, 1}, "lengths");
        const TensorIndex number = ops_.number(DType::kI32, 3, static_cast<double>(step));
        return ops_.test(OpCode::kGreater, lengths, number, "active");
    }
    std::vector<std::int64_t> active;
    for (const std::int64_t length : options_.lengths) active.push_back(length > step ? 1 : 0);
    if (std::find(active.begin(), active.end(), 0) == active.end()) return std::nullopt;
    return ops_.block().constant(DType::kBool, {1, rows_, 1}, active, "active");
}

/// Steps that any row needs; at least one.
std::int64_t RecurrentDirection::last_step() const {
    if (options_.lengths.empty()) return steps_;
    const std::int64_t longest =
        *std::max_element(options_.lengths.begin(), options_.lengths.end());
    return std::clamp<std::int64_t>(longest, 1, steps_);
}

TensorIndex RecurrentDirection::state_result(const Real& state) const {
    return ops_.cast(state.tensor(), type_, "last_state");
}

/// Steps in the order of their computation to [T,B,H].
TensorIndex RecurrentDirection::in_order(std::vector<TensorIndex> steps) const {
    if (weights_.is_reverse) std::reverse(steps.begin(), steps.end());
    const auto missing = steps_ - static_cast<std::int64_t>(steps.size());
    const TensorIndex y = concat(ops_, steps, 0);
    return ops_.pad(y, {0, missing, 0, 0, 0, 0}, ops_.number(type_, 1, 0), "all_y");
}

std::optional<TensorIndex> joint_bias(OperatorBuilder& ops, const RecurrentWeights& weights) {
    if (!weights.x_bias) return weights.state_bias;
    if (!weights.state_bias) return weights.x_bias;
    return ops.binary(OpCode::kAdd, *weights.x_bias, *weights.state_bias, "bias");
}

RecurrentResults join_directions(OperatorBuilder& ops, const std::vector<DirectionResults>& all,
                                 bool has_cell) {
    std::vector<TensorIndex> y, states, cells;
    for (const DirectionResults& one : all) {
        const Shape shape = ops.shape(one.y);
        y.push_back(ops.reshape(one.y, {shape[0], 1, shape[1], shape[2]}, "direction"));
        states.push_back(one.last_state);
        cells.push_back(one.last_cell);
    }
    RecurrentResults results{concat(ops, y, 1), concat(ops, states, 0), {}};
    if (has_cell) results.last_cell = concat(ops, cells, 0);
    return results;
}

}  // namespace okksim::sim::graph::compose
