// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/lab/manual/api_example.h"
#include "sim/lab/manual/api_functions.h"

namespace okksim::sim::manual {

/// Bytes per lane of each example tensor; the tensors follow one another.
inline constexpr std::int64_t kRoom = 8192;

/// Returns the example of a function of the vendor's kit that issues several commands.
ApiExample kit_example(const ApiFunction& function);

}  // namespace okksim::sim::manual
