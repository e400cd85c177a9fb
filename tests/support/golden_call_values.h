// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/golden/okk_call_values.h"

namespace okksim::tests {
using namespace okksim::sim::golden;
}  // namespace okksim::tests
