// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/sweep/point_table.h"

namespace okksim::sim::sweep {

/// A figure or metric of two points.
struct FigureChange {
    std::string name;
    double before = 0, after = 0;

    double difference() const { return after - before; }
};

/// Two points of a sweep: what they set, what they are worth, and where the time of every engine
/// goes.
struct PointComparison {
    const StoredPoint* before = nullptr;
    const StoredPoint* after = nullptr;
    std::vector<FigureChange> figures;  ///< in the order of PointTable::metrics(); without causes
    /// Of every engine its causes, of which one is not zero, the largest change first; an engine's
    /// causes add up to the same span.
    std::vector<std::vector<FigureChange>> engines;
};

/// Two points of the table by their numbers. ConfigError for numbers that there are not, and for
/// points that failed.
PointComparison compare_points(const PointTable& table, std::uint64_t before, std::uint64_t after);

/// For people.
std::string comparison_text(const PointTable& table, const PointComparison& comparison);
/// The same as JSON.
std::string comparison_json(const PointTable& table, const PointComparison& comparison);

}  // namespace okksim::sim::sweep
