// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Fills a tiling's buffers from its tile, counts and order and from what is to be spread out
/// (OperandBuffers::spread); false when they do not fit the machine. Pure.
bool plan_memory(const Problem& problem, const SumRule& rule, const Machine& machine,
                 Tiling& tiling);

}  // namespace okksim::kernels::conv
