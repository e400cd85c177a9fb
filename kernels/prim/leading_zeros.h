// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::prim {

/// Leading zeros of the word as uint32: 0..32.
inline constexpr int kCountLeadingZerosPlanes = 2, kCountLeadingZerosCommands = 14;
void count_leading_zeros(const LocalTensor& dst, const LocalTensor& a, Scratch& scratch);

}  // namespace okksim::kernels::prim
