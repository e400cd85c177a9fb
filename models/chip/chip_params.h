// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter_field.h"

namespace okksim::models {

/// Lanes and their local memory.
struct ChipParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/chip/chip_params.def"
#undef OKKSIM_PARAMETER
};

}  // namespace okksim::models
