// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter_field.h"

namespace okksim::models {

/// GDMA engine: clock, set-up, cost of contiguous pieces, and the width of its ports.
struct GdmaParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/gdma/gdma_params.def"
#undef OKKSIM_PARAMETER
};

}  // namespace okksim::models
