// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/graph/compose/real.h"
#include "sim/graph/compose/recurrent.h"

namespace okksim::sim::graph::compose {

/// The states of a recurrent layer between two steps: fp32, [1,B,H], or zeros of shape [1,1,1].
struct RecurrentStates {
    Real hidden;
    Real cell;  ///< equal to `hidden` if the layer has none
    bool has_hidden = true;
    bool has_cell = true;
};

struct DirectionResults {
    TensorIndex y;  ///< [T,B,H]
    TensorIndex last_state;
    TensorIndex last_cell;
};

/// One direction of a layer: the product of all steps with W, and the loop over the steps.
class RecurrentDirection {
 public:
    /// `x` [T,B,I]. `bias` [G H] or nothing is added to x W.
    RecurrentDirection(OperatorBuilder& ops, TensorIndex x, const RecurrentWeights& weights,
                       const RecurrentOptions& options, std::int64_t gates,
                       std::optional<TensorIndex> bias);

    /// Takes x W + bias of a step, [1,B,G H], and the states before it.
    using Step = std::function<RecurrentStates(const Real& gates, const RecurrentStates& before)>;
    DirectionResults run(const Step& step) const;

    /// R of `count` gates from `first`, ready for product().
    TensorIndex state_weights(std::int64_t first, std::int64_t count) const;
    /// [1,B,K] times [1,K,N], as fp32.
    Real product(const Real& state, TensorIndex weights) const;
    /// `count` gates from `first` of the gates of a step.
    Real gate(const Real& gates, std::int64_t first, std::int64_t count = 1) const;
    /// x with the limits of the layer's clip.
    Real bounded(const Real& x) const;
    /// The activation of bounded(x).
    Real activated(const Real& x, const Activation& activation) const;
    /// [N] as fp32 [1,1,N].
    Real line(TensorIndex values) const;

 private:
    RecurrentStates initial_states() const;
    std::optional<TensorIndex> active_rows(std::int64_t step) const;
    std::int64_t last_step() const;
    TensorIndex state_result(const Real& state) const;
    TensorIndex in_order(std::vector<TensorIndex> steps) const;

    OperatorBuilder& ops_;
    const RecurrentWeights& weights_;
    const RecurrentOptions& options_;
    DType type_;
    std::int64_t steps_, rows_;
    TensorIndex gates_;  ///< [T,B,G H]
};

/// The sum of two optional vectors.
std::optional<TensorIndex> joint_bias(OperatorBuilder& ops, const RecurrentWeights& weights);
/// Joins the directions of a layer.
RecurrentResults join_directions(OperatorBuilder& ops, const std::vector<DirectionResults>& all,
                                 bool has_cell);

}  // namespace okksim::sim::graph::compose
