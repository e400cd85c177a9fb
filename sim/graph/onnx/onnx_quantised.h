// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/onnx/onnx_quantisation.h"

namespace okksim::sim::graph::onnx {

/// Checks attributes of QuantizeLinear and DequantizeLinear against the shapes.
ParameterPlace parameter_place(const Call& call, const Value& x, const Quantisation& q);

/// A value as DynamicQuantizeLinear quantises it to uint8: its least and greatest element, and 0,
/// are in the range.
struct DynamicQuantisation {
    TensorIndex held = 0;
    TensorIndex scale = 0;            ///< fp32 of rank 0
    TensorIndex held_zero_point = 0;  ///< i32 of rank 0
};
DynamicQuantisation dynamically_quantised(OperatorBuilder& ops, TensorIndex x);

}  // namespace okksim::sim::graph::onnx
