// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Time that a tiling is expected to take, to compare tilings by. Follows the laws of the reference
/// machine (models/bdc/README.md, models/gdma/README.md) with its rates; a wrong guess costs time,
/// never correctness. An estimate that is not below
/// `best` may be too low.
double estimate_microseconds(const Problem& problem, const SumRule& rule, const Machine& machine,
                             const Tiling& tiling, double best);

}  // namespace okksim::kernels::conv
