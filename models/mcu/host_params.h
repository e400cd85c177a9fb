// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/parameter_field.h"

namespace okksim::models {

/// Times that the host sees around a launch.
struct HostParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/mcu/host_params.def"
#undef OKKSIM_PARAMETER
};

}  // namespace okksim::models
