// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/mlir/mlir_text_out.h"

namespace okksim::sim::graph {

/// Appends "dense<...> : type". Does not copy the constant, which may be large.
void append_dense(TextOut& text, DType type, const Shape& shape, bool is_unsigned,
                  const ConstantData& data);

}  // namespace okksim::sim::graph
