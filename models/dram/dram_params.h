// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter_field.h"

namespace okksim::models {

// A struct inherits the rows of another table.
#define OKKSIM_PARAMETERS_OF(...)

/// A memory of one bank behind the interconnect as bandwidth and latency, by direction.
struct BandwidthParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/dram/bandwidth_params.def"
#undef OKKSIM_PARAMETER
};

/// Largest share of the time that refresh takes. A larger one leaves no time for accesses.
inline constexpr double kMostRefreshShare = 0.999;

/// Interleaved channels, each with its own controller and rows. Rates are for all channels
/// together, before rows and refresh.
struct DramParams : BandwidthParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/dram/dram_params.def"
#undef OKKSIM_PARAMETER
};

#undef OKKSIM_PARAMETERS_OF

}  // namespace okksim::models
