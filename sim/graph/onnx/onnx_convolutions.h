// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sim/graph/compose/windows.h"
#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

/// A convolution whose attributes and shapes have been checked.
struct ConvolutionForm {
    compose::Windows windows;
    std::int64_t groups = 1;
    Shape shape;  ///< of the result, in the file's order
};

/// Checks a convolution of operand `x` with weights [O, I/groups, spatial...] at operand `weights`.
ConvolutionForm convolution_form(const Call& call, std::size_t x, std::size_t weights);
/// Refuses a bias of another shape than [channels].
void check_bias(const Call& call, std::size_t n, std::int64_t channels);
/// Returns the weights at operand `n` in the order of compose::convolution.
TensorIndex convolution_weights(const Call& call, std::size_t n, std::int64_t groups);

}  // namespace okksim::sim::graph::onnx
