// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter_field.h"

namespace okksim::models {

/// Use of the 8-bit products that an execution unit computes at a time.
enum class IntPacking : std::int64_t {
    kBatch,   ///< one pixel position of several images
    kPixels,  ///< several pixels of one image
    kEither,  ///< for each command the faster of the two
};

/// Compute engine: clock, array dimensions and constants of the cost formulas (bdc_timing.h).
struct BdcParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/bdc/bdc_params.def"
#undef OKKSIM_PARAMETER
};

}  // namespace okksim::models
