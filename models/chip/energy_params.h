// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/parameter_field.h"

namespace okksim::models {

/// Energy per event. A spread gives the uncertainty of its group. True values are between value /
/// (1 + spread) and value * (1 + spread). Cost model: models/energy/README.md.
struct EnergyParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/chip/energy_params.def"
#undef OKKSIM_PARAMETER
};

/// Area of the parts of a chip; spreads as in EnergyParams.
struct AreaParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/chip/area_params.def"
#undef OKKSIM_PARAMETER
};

}  // namespace okksim::models
