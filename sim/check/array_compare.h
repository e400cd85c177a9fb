// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/check/check_result.h"
#include "sim/check/comparison_rules.h"
#include "sim/graph/npy.h"

namespace okksim::sim::check {

/// Compares arrays of .npy files as numbers, by the rule for outputs of models. The element types
/// must be equal, except for floating-point types of different width. Arrays without elements are
/// equal if their shapes are.
CheckResult compare_arrays(const graph::NpyArray& got, const graph::NpyArray& reference,
                           const DifferenceRule& rule);

}  // namespace okksim::sim::check
