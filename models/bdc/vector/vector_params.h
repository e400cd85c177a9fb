// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::models {

/// Operands of an operation that are not tensors.
struct VectorParams {
    std::uint32_t selected = 0;  ///< the word that fills and selections write
    std::int32_t terms = 0;      ///< of a series
};

}  // namespace okksim::models
