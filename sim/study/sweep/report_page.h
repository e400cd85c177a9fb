// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/study/sweep/point_table.h"

namespace okksim::sim::sweep {

/// Returns a sweep as one self-contained HTML page that needs no network. It shows Pareto fronts,
/// effects, curves, time by cause, and a table that sorts and filters. The data of every chart can
/// be copied.
std::string report_page(const PointTable& table);

}  // namespace okksim::sim::sweep
