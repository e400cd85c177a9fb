// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/mlir/mlir_text_out.h"

namespace okksim::sim::graph {

/// "dense<...> : type". Constants may be large: nothing of them is copied.
void append_dense(TextOut& text, DType type, const Shape& shape, bool is_unsigned,
                  const ConstantData& data);

}  // namespace okksim::sim::graph
