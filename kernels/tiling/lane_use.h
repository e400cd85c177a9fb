// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/layout.h"

namespace okksim::kernels {

/// Share of the lanes that work when `extent` items are dealt to them.
inline double lane_use(std::int64_t extent, std::int64_t lanes) {
    return static_cast<double>(extent) / static_cast<double>(isa::align_up(extent, lanes));
}

}  // namespace okksim::kernels
