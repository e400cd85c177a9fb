// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/graph/tflite/tflite_lowering.h"

namespace okksim::sim::graph::tflite {

/// An operator of TensorFlow Lite: a row of tflite_operators.def.
struct OperatorRow {
    std::int32_t number;
    std::string_view name;
    void (Lowering::*lower)(const Call&);
};

std::span<const OperatorRow> operator_rows();
/// Returns nullptr for an unsupported number.
const OperatorRow* find_operator(std::int32_t number);
/// Returns nullptr for an unsupported custom operator.
const OperatorRow* find_custom_operator(std::string_view name);

}  // namespace okksim::sim::graph::tflite
