// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN.
#include <algorithm>

#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/moves.h"
#include "sim/graph/compose/recurrent.h"
#include "sim/graph/compose/recurrent_direction.h"

namespace okksim::sim::graph::compose {

namespace {

/// The cell of an LSTM.
class LstmCell {
 public:
    LstmCell(OperatorBuilder& ops, const RecurrentDirection& direction, const LstmDirection& parts,
             const LstmOptions& options)
        : ops_(ops), direction_(direction), parts_(parts), options_(options) {
        r_ = direction.state_weights(0, kGates);
        if (parts.projection) projection_ = transposed_matrix(*parts.projection);
        if (parts.weights.peepholes) {
            const Real all = direction.line(*parts.weights.peepholes);
            for (std::int64_t i = 0; i < 3; ++i) peepholes_.push_back(direction.gate(all, i));
        } else if (options.coupling == GateCoupling::kNone &&
                   parts.gate.kind == Activation::Kind::kSigmoid &&
                   parts.cell.kind == Activation::Kind::kTanh) {
            factors_ = sigmoid_factors();
        }
    }

    RecurrentStates step(Real gates, const RecurrentStates& before) const {
        if (before.has_hidden) gates = direction_.product(before.hidden, r_) + gates;
        const Gates g = factors_ ? joint_gates(gates) : separate_gates(gates, before);
        Real cell = g.input * g.candidate;
        if (before.has_cell) cell = g.forget * before.cell + cell;
        if (options_.cell_clip) cell = limited(cell, -*options_.cell_clip, *options_.cell_clip);
        const Real output = g.output ? *g.output : output_gate(gates, cell);
        const Real hidden = output * Real(ops_, activate(ops_, cell.tensor(), parts_.hidden));
        return {projected(hidden), cell};
    }

 private:
    static constexpr std::int64_t kGates = 4;
    struct Gates {
        Real input;
        Real forget;
        Real candidate;
        std::optional<Real> output;  ///< nothing if it depends on the new cell state
    };
    enum Peephole { kInput, kOutput, kForget };

    /// 2 for the columns of the cell gate, whose tanh(x) is 2 sigmoid(2 x) - 1, and 1 for others.
    TensorIndex sigmoid_factors() const {
        const std::int64_t hidden = options_.common.hidden;
        std::vector<double> factors(static_cast<std::size_t>(kGates * hidden), 1);
        std::fill_n(factors.begin() + options_.gates.cell * hidden, hidden, 2.0);
        return real_values(ops_, DType::kFp32, {1, 1, kGates * hidden}, factors, "factors");
    }

    /// All gates by one SIGMOID: on small tensors, the number of commands decides the time.
    Gates joint_gates(const Real& gates) const {
        const Real all = sigmoid_of(direction_.bounded(gates) * Real(ops_, *factors_));
        const LstmGates& at = options_.gates;
        const Real input = direction_.gate(all, at.input);
        const Real forget = direction_.gate(all, at.forget);
        const Real candidate = direction_.gate(all, at.cell) * 2.0 - 1.0;
        return {input, forget, candidate, direction_.gate(all, at.output)};
    }

    Gates separate_gates(const Real& gates, const RecurrentStates& before) const {
        const auto gate = [&](std::int64_t position, Peephole peephole) {
            Real value = direction_.gate(gates, position);
            if (!peepholes_.empty() && before.has_cell) {
                value = value + peepholes_[peephole] * before.cell;
            }
            return direction_.activated(value, parts_.gate);
        };
        const LstmGates& at = options_.gates;
        const Real candidate = direction_.activated(direction_.gate(gates, at.cell), parts_.cell);
        if (options_.coupling == GateCoupling::kInputFromForget) {
            const Real forget = gate(at.forget, kForget);
            return {1.0 - forget, forget, candidate, {}};
        }
        const Real input = gate(at.input, kInput);
        if (options_.coupling == GateCoupling::kForgetFromInput) {
            return {input, 1.0 - input, candidate, {}};
        }
        return {input, gate(at.forget, kForget), candidate, {}};
    }

    Real output_gate(const Real& gates, const Real& cell) const {
        Real value = direction_.gate(gates, options_.gates.output);
        if (!peepholes_.empty()) value = value + peepholes_[kOutput] * cell;
        return direction_.activated(value, parts_.gate);
    }

    Real projected(const Real& hidden) const {
        if (!projection_) return hidden;
        Real result = direction_.product(hidden, *projection_);
        if (parts_.projection_bias) result = result + direction_.line(*parts_.projection_bias);
        const auto& limit = options_.projection_clip;
        return limit ? limited(result, -*limit, *limit) : result;
    }

    TensorIndex transposed_matrix(TensorIndex matrix) const {
        const Shape shape = ops_.shape(matrix);
        return rearranged(ops_, matrix, {1, shape[0], shape[1]}, {0, 2, 1},
                          {1, shape[1], shape[0]});
    }

    OperatorBuilder& ops_;
    const RecurrentDirection& direction_;
    const LstmDirection& parts_;
    const LstmOptions& options_;
    TensorIndex r_;
    std::optional<TensorIndex> factors_;  ///< if one SIGMOID computes all gates
    std::optional<TensorIndex> projection_;
    std::vector<Real> peepholes_;
};

/// The cell of a GRU, with gates z, r, h.
class GruCell {
 public:
    GruCell(const RecurrentDirection& direction, const GruDirection& parts,
            bool linear_before_reset)
        : direction_(direction), parts_(parts), is_linear_(linear_before_reset) {
        constexpr std::int64_t kGates = 3;
        first_ = direction.state_weights(0, is_linear_ ? kGates : 2);
        if (!is_linear_) last_ = direction.state_weights(2, 1);
        if (is_linear_ && parts.weights.state_bias) {
            bias_ = direction.line(*parts.weights.state_bias);
        }
    }

    RecurrentStates step(const Real& gates, const RecurrentStates& before) const {
        const std::optional<Real> of_state = state_part(before);
        Real pair = direction_.gate(gates, 0, 2);
        if (of_state) pair = pair + direction_.gate(*of_state, 0, 2);
        const Real open = direction_.activated(pair, parts_.gate);
        const Real update = direction_.gate(open, 0);
        const Real reset = direction_.gate(open, 1);
        Real inner = direction_.gate(gates, 2);
        if (is_linear_) {
            if (of_state) inner = inner + reset * direction_.gate(*of_state, 2);
        } else if (before.has_hidden) {
            inner = inner + direction_.product(reset * before.hidden, *last_);
        }
        const Real candidate = direction_.activated(inner, parts_.hidden);
        const Real hidden = (before.hidden - candidate) * update + candidate;
        return {hidden, hidden};
    }

 private:
    /// H R^T + Rb, if it is not zero.
    std::optional<Real> state_part(const RecurrentStates& before) const {
        if (!before.has_hidden) return bias_;
        const Real product = direction_.product(before.hidden, first_);
        return bias_ ? product + *bias_ : product;
    }

    const RecurrentDirection& direction_;
    const GruDirection& parts_;
    bool is_linear_;
    TensorIndex first_;
    std::optional<TensorIndex> last_;
    std::optional<Real> bias_;
};

}  // namespace

// tanh(x) = 2 sigmoid(2 x) - 1 takes fewer commands than TANH.
TensorIndex activate(OperatorBuilder& ops, TensorIndex x, const Activation& activation) {
    using Kind = Activation::Kind;
    const auto alpha = [&](double usual) { return activation.alpha.value_or(usual); };
    const auto beta = [&](double usual) { return activation.beta.value_or(usual); };
    switch (activation.kind) {
        case Kind::kRelu: return relu(ops, x);
        case Kind::kTanh: return (sigmoid_of(Real(ops, x) * 2.0) * 2.0 - 1.0).tensor();
        case Kind::kSigmoid: return sigmoid(ops, x);
        case Kind::kAffine: return (Real(ops, x) * alpha(1) + beta(0)).tensor();
        case Kind::kLeakyRelu: return leaky_relu(ops, x, alpha(0.01));
        case Kind::kThresholdedRelu: return thresholded_relu(ops, x, alpha(1));
        case Kind::kScaledTanh: return (tanh_of(Real(ops, x) * beta(1)) * alpha(1)).tensor();
        case Kind::kHardSigmoid: return hard_sigmoid(ops, x, alpha(0.2), beta(0.5));
        case Kind::kElu: return elu(ops, x, alpha(1));
        case Kind::kSoftsign: return softsign(ops, x);
        case Kind::kSoftplus: return softplus(ops, x);
        case Kind::kNone: break;
    }
    return x;
}

TensorIndex join_gates(OperatorBuilder& ops, const std::vector<TensorIndex>& gates) {
    Shape shape = ops.shape(gates[0]);
    std::vector<std::byte> bytes;
    for (const TensorIndex gate : gates) {
        const Tensor& tensor = ops.block().tensor(gate);
        if (!tensor.has_data) return concat(ops, gates, 0);
        const auto size = static_cast<std::size_t>(
            storage_bytes(tensor.type, static_cast<std::uint64_t>(extent(tensor.shape))));
        const std::span<const std::byte> data = tensor.data.bytes().first(size);
        bytes.insert(bytes.end(), data.begin(), data.end());
    }
    shape[0] *= static_cast<std::int64_t>(gates.size());
    return ops.block().constant_bytes(ops.type(gates[0]), shape,
                                      ops.block().graph().own_bytes(std::move(bytes)), "gates");
}

RecurrentResults lstm(OperatorBuilder& ops, TensorIndex x,
                      const std::vector<LstmDirection>& directions, const LstmOptions& options) {
    std::vector<DirectionResults> results;
    for (const LstmDirection& parts : directions) {
        const RecurrentDirection direction(ops, x, parts.weights, options.common, 4,
                                           joint_bias(ops, parts.weights));
        const LstmCell cell(ops, direction, parts, options);
        results.push_back(direction.run([&](const Real& gates, const RecurrentStates& before) {
            return cell.step(gates, before);
        }));
    }
    return join_directions(ops, results, true);
}

RecurrentResults gru(OperatorBuilder& ops, TensorIndex x,
                     const std::vector<GruDirection>& directions, const RecurrentOptions& options,
                     bool linear_before_reset) {
    std::vector<DirectionResults> results;
    for (const GruDirection& parts : directions) {
        const auto bias =
            linear_before_reset ? parts.weights.x_bias : joint_bias(ops, parts.weights);
        const RecurrentDirection direction(ops, x, parts.weights, options, 3, bias);
        const GruCell cell(direction, parts, linear_before_reset);
        results.push_back(direction.run([&](const Real& gates, const RecurrentStates& before) {
            return cell.step(gates, before);
        }));
    }
    return join_directions(ops, results, false);
}

RecurrentResults rnn(OperatorBuilder& ops, TensorIndex x,
                     const std::vector<RnnDirection>& directions, const RecurrentOptions& options) {
    std::vector<DirectionResults> results;
    for (const RnnDirection& parts : directions) {
        const RecurrentDirection direction(ops, x, parts.weights, options, 1,
                                           joint_bias(ops, parts.weights));
        const TensorIndex r = direction.state_weights(0, 1);
        results.push_back(direction.run([&](Real gates, const RecurrentStates& before) {
            if (before.has_hidden) gates = direction.product(before.hidden, r) + gates;
            const Real hidden = direction.activated(gates, parts.hidden);
            return RecurrentStates{hidden, hidden};
        }));
    }
    return join_directions(ops, results, false);
}

}  // namespace okksim::sim::graph::compose
