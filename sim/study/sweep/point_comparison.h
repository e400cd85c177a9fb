// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/sweep/point_table.h"

namespace okksim::sim::sweep {

/// A measured value or metric of two points.
struct FigureChange {
    std::string name;
    double before = 0, after = 0;

    double difference() const { return after - before; }
};

/// Two points of a sweep: their settings, their metrics, and the time of each engine by cause.
struct PointComparison {
    const StoredPoint* before = nullptr;
    const StoredPoint* after = nullptr;
    std::vector<FigureChange> figures;  ///< in the order of PointTable::metrics(), without causes
    /// For each engine, the causes with a nonzero time, largest change first. The causes of every
    /// engine add up to the same span.
    std::vector<std::vector<FigureChange>> engines;
};

/// Compares two points by number. ConfigError for unknown numbers and for failed points.
PointComparison compare_points(const PointTable& table, std::uint64_t before, std::uint64_t after);

/// Formats the comparison as text.
std::string comparison_text(const PointTable& table, const PointComparison& comparison);
/// Formats the comparison as JSON.
std::string comparison_json(const PointTable& table, const PointComparison& comparison);

}  // namespace okksim::sim::sweep
