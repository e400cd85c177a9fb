// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/fourier/fourier_transform.h"

namespace okksim::kernels {

/// Firmware: the first `most` tiles of transforms that fit a lane.
void run_in_lanes(const Transform& transform, const LanePlan& plan, std::int64_t most);

}  // namespace okksim::kernels
