// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/onnx/onnx_array.h"
#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::onnx {

/// Converts elements of device_type(type) to i32 with the file's values, because TOSA computes with
/// i32. Real numbers and i32 are returned unchanged.
TensorIndex widened(OperatorBuilder& ops, ElementType type, TensorIndex x);
/// Converts i32 back to device_type(type); higher bits are dropped.
TensorIndex narrowed(OperatorBuilder& ops, ElementType type, TensorIndex x);

/// Converts elements between types, as the operator Cast.
TensorIndex cast(OperatorBuilder& ops, ElementType from, ElementType to, TensorIndex x);

}  // namespace okksim::sim::graph::onnx
