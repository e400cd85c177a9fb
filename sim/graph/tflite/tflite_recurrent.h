// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sim/graph/tflite/tflite_call.h"
#include "sim/graph/tflite/tflite_tensors.h"

namespace okksim::sim::graph::tflite {

/// Inputs of one direction of an LSTM. Four gates follow each other: input, forget, cell, output.
/// Peepholes have no cell gate.
struct LstmOperands {
    std::size_t weights = 1;
    std::size_t recurrent = 5;
    std::size_t peepholes = 9;
    std::size_t biases = 12;
    std::size_t projection = 16;
    std::size_t projection_bias = 17;
    std::size_t state = 18;
    std::size_t cell = 19;
    bool is_reverse = false;
};

/// Options of an LSTM; 0 is no limit.
struct LstmLimits {
    Activation activation = Activation::TANH;
    double cell = 0;
    double projection = 0;
};

/// Returns true for an LSTM that has integer steps and an INT16 cell.
bool is_integer_lstm(const Call& call, const LstmOperands& operands);
/// Computes one direction of such an LSTM as the reference kernels do: steps [T,B,I] give [T,B,H]
/// as the state represents them.
TensorIndex integer_lstm(Tensors& tensors, const Call& call, const LstmOperands& operands,
                         const LstmLimits& limits, TensorIndex steps);

/// Returns the state before the first step, or nullptr for zeros. Variables start at 0.
Value* initial_state(const Call& call, std::size_t n);
/// Returns the sums of x [N,I] with weights [O,I] as [N,O]; `bias` may be nullptr. The sums are
/// RESCALEd to `type`, with one scale or one per row of the weights, and a zero point.
TensorIndex integer_rows(Tensors& tensors, TensorIndex x, std::int64_t zero, Value& weights,
                         Value* bias, const std::vector<double>& scales, DType type,
                         std::int64_t result_zero = 0);

}  // namespace okksim::sim::graph::tflite
