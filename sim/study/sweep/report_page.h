// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/study/sweep/point_table.h"

namespace okksim::sim::sweep {

/// A sweep as one HTML page that needs nothing else, no network either: fronts, effects, curves,
/// time by cause, a table that sorts and filters, every figure with its data to copy.
std::string report_page(const PointTable& table);

}  // namespace okksim::sim::sweep
