// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Fills a tiling's buffers from its tile, counts, order and spread operands
/// (OperandBuffers::spread). Returns false if they do not fit the machine. Pure.
bool plan_memory(const Problem& problem, const SumRule& rule, const Machine& machine,
                 Tiling& tiling);

}  // namespace okksim::kernels::conv
