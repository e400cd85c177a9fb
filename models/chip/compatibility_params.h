// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/parameter_field.h"

namespace okksim::models {

/// Behaviours of the vendor's software kit that contradict the API reference.
struct CompatibilityParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/chip/compatibility_params.def"
#undef OKKSIM_PARAMETER
};

}  // namespace okksim::models
