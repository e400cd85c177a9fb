// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/check/check_result.h"
#include "sim/check/comparison_rules.h"
#include "sim/graph/host_tensor.h"
#include "sim/graph/npy.h"

namespace okksim::sim::check {

/// Judges `got` by `rule`. `reference` has double precision ("<f8") or the output's own element
/// type. `bounds` is needed by DotProductRule, RescaleInexactRule and AbsErrorRule. Throws
/// ConfigError if it is missing or if a reference does not fit.
CheckResult compare(const graph::HostTensor& got, const graph::NpyArray& reference,
                    const graph::NpyArray* bounds, const Rule& rule);

}  // namespace okksim::sim::check
