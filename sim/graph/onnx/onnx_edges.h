// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/onnx/onnx_array.h"
#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::onnx {

/// Returns an input or output of the graph without a name: elements as in the .npy file.
/// 64-bit elements are pairs of words. UnsupportedPart for types that no file form has.
Tensor file_tensor(ElementType type, const Shape& shape);

/// Converts an input's elements to device_type(type).
TensorIndex from_file(OperatorBuilder& ops, ElementType type, TensorIndex x);
/// Converts elements of device_type(type) to those of an output's file.
TensorIndex to_file(OperatorBuilder& ops, ElementType type, TensorIndex x);

}  // namespace okksim::sim::graph::onnx
