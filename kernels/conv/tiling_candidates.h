// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Calls `visit` with every promising tiling that fits. Tilings of one tile that differ only in
/// their order are consecutive. ProgramFault (out of memory) if the smallest tile does not fit.
/// Pure.
void for_each_tiling(const Problem& problem, const SumRule& rule, const Machine& machine,
                     const std::function<void(const Tiling&)>& visit);

}  // namespace okksim::kernels::conv
