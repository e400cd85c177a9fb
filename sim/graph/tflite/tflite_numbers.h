// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::sim::graph::tflite {

/// Numbers of the operators.
enum OperatorNumber : std::int32_t {
#define OKKSIM_TFLITE_OPERATOR(enumerator, number, name, integers, lowering) enumerator = number,
#include "sim/graph/tflite/tflite_operators.def"
#undef OKKSIM_TFLITE_OPERATOR
    kCustom = 32,
};

}  // namespace okksim::sim::graph::tflite
