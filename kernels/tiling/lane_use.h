// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/layout.h"

namespace okksim::kernels {

/// Fraction of the lanes that are busy with `extent` items.
inline double lane_use(std::int64_t extent, std::int64_t lanes) {
    return static_cast<double>(extent) / static_cast<double>(isa::align_up(extent, lanes));
}

}  // namespace okksim::kernels
