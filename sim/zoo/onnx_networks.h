// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/graph/graph.h"

namespace okksim::sim::zoo {

/// The node of a file that adds the bias of a convolution.
enum class OnnxBias {
    kConvolution,    ///< in Conv, as exporters for inference write it
    kNormalisation,  ///< in a BatchNormalization behind each Conv
};

/// Writes a zoo network as an ONNX file, with the node types of usual exporters. A Transpose
/// changes feature maps of inputs and outputs from N, H, W, C to N, C, H, W and back. Supports
/// floating-point convolutions, pools, CLAMP, SIGMOID, ADD, MUL, CONCAT and RESHAPE. ConfigError
/// for other operators.
std::string write_onnx(const graph::Graph& graph, OnnxBias bias = OnnxBias::kConvolution);

}  // namespace okksim::sim::zoo
