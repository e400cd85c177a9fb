// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/graph/operator_builder.h"

/// Recurrent layers, unrolled over time. Weights and states have the layout of ONNX, for one
/// direction: W [G,H,I] or [G H,I], R [G,H,H] or [G H,H], biases [G H], peepholes [3 H], states
/// [B,H] or [1,B,H]; G is the number of gates. fp16 and bf16 values are computed in fp32.
namespace okksim::sim::graph::compose {

/// A function of a gate. `alpha` and `beta` as in ONNX; absent ones have ONNX's defaults.
struct Activation {
    enum class Kind : std::uint8_t {
        kRelu,
        kTanh,
        kSigmoid,
        kAffine,
        kLeakyRelu,
        kThresholdedRelu,
        kScaledTanh,
        kHardSigmoid,
        kElu,
        kSoftsign,
        kSoftplus,
        kNone,
    };
    Kind kind = Kind::kTanh;
    std::optional<double> alpha;
    std::optional<double> beta;
};
/// Tanh has an absolute error of 3e-7, because SIGMOID computes it.
TensorIndex activate(OperatorBuilder& ops, TensorIndex x, const Activation& activation);

/// The weights of one direction. `x_bias` and `state_bias` are Wb and Rb.
struct RecurrentWeights {
    TensorIndex w = 0;
    TensorIndex r = 0;
    std::optional<TensorIndex> x_bias;
    std::optional<TensorIndex> state_bias;
    std::optional<TensorIndex> peepholes;      ///< LSTM: i, o, f
    std::optional<TensorIndex> initial_state;  ///< zeros if absent
    std::optional<TensorIndex> initial_cell;   ///< LSTM; zeros if absent
    bool is_reverse = false;  ///< runs from the last step (of each row) to the first
};

/// Options of a layer, for all directions.
struct RecurrentOptions {
    std::int64_t hidden = 0;
    std::optional<double> clip;  ///< limits the operands of activations to [-clip, clip]
    /// Steps of each row, if known. Steps after them give zeros in y and keep the states.
    std::vector<std::int64_t> lengths;
    /// The same at run time: kI32 [B]. At most one of the two is given.
    std::optional<TensorIndex> run_time_lengths;
};

/// Results in the type of x. A result that the graph does not use costs at most a RESHAPE.
struct RecurrentResults {
    TensorIndex y = 0;                     ///< [T,directions,B,H]
    TensorIndex last_state = 0;            ///< [directions,B,H]
    std::optional<TensorIndex> last_cell;  ///< LSTM: [directions,B,H]
};

/// Joins the weights or biases of single gates along the first dimension: [H,I] each to [G H,I].
/// Constants give a constant.
TensorIndex join_gates(OperatorBuilder& ops, const std::vector<TensorIndex>& gates);

/// Positions of the gates in W, R and the biases.
struct LstmGates {
    std::int64_t input = 0;
    std::int64_t output = 1;
    std::int64_t forget = 2;
    std::int64_t cell = 3;
};
/// A gate that another one determines. Its weights exist but have no effect.
enum class GateCoupling : std::uint8_t {
    kNone,
    kForgetFromInput,  ///< f = 1 - i (input_forget as ONNX Runtime computes it)
    kInputFromForget,  ///< i = 1 - f (TFLite without input gate)
};
struct LstmDirection {
    RecurrentWeights weights;
    Activation gate{Activation::Kind::kSigmoid, {}, {}};  ///< f
    Activation cell{Activation::Kind::kTanh, {}, {}};     ///< g
    Activation hidden{Activation::Kind::kTanh, {}, {}};   ///< h
    /// The projection of the state (TFLite): [P,H], and its bias [P]. R is then [4 H,P].
    std::optional<TensorIndex> projection;
    std::optional<TensorIndex> projection_bias;
};
struct LstmOptions {
    RecurrentOptions common;
    LstmGates gates;
    GateCoupling coupling = GateCoupling::kNone;
    std::optional<double> cell_clip;        ///< limits the cell state (TFLite)
    std::optional<double> projection_clip;  ///< limits the projected state (TFLite)
};
/// `x` [T,B,I]; one or two directions.
RecurrentResults lstm(OperatorBuilder& ops, TensorIndex x,
                      const std::vector<LstmDirection>& directions, const LstmOptions& options);

struct GruDirection {
    RecurrentWeights weights;                             ///< gates z, r, h
    Activation gate{Activation::Kind::kSigmoid, {}, {}};  ///< f
    Activation hidden{Activation::Kind::kTanh, {}, {}};   ///< g
};
RecurrentResults gru(OperatorBuilder& ops, TensorIndex x,
                     const std::vector<GruDirection>& directions, const RecurrentOptions& options,
                     bool linear_before_reset);

struct RnnDirection {
    RecurrentWeights weights;
    Activation hidden{Activation::Kind::kTanh, {}, {}};  ///< f
};
RecurrentResults rnn(OperatorBuilder& ops, TensorIndex x,
                     const std::vector<RnnDirection>& directions, const RecurrentOptions& options);

}  // namespace okksim::sim::graph::compose
