// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// The effect of a parameter on the first objective. With enough points, all axes are fitted
/// jointly. The effects of the axes then stay separate in unbalanced designs too, such as samples,
/// constraints and searches.
struct Effect {
    std::string parameter;
    std::string best, worst;  ///< values, or quarters of the range of many numbers
    double ratio = 1;         ///< geometric means: worst / best
    /// For sampled points, true if the effect is more than three times the standard error of the
    /// difference. The standard error comes from the unexplained variance. Otherwise always true.
    bool stands_out = true;
};
/// Returns the effects by size, significant ones first.
std::vector<Effect> main_effects(const PointTable& table, const std::vector<MachineRow>& rows);

/// Returns an effect per axis: that of a bundle has its name and the names of its values.
std::vector<Effect> axis_effects(const PointTable& table, const std::vector<MachineRow>& rows);

/// Two parameters whose joint effect differs from the product of their separate effects.
struct Interaction {
    std::string first, second;
    double ratio = 1;  ///< the largest factor that the separate effects do not explain
};
/// Returns the interactions by size. For sampled points, only significant ones are returned.
std::vector<Interaction> interactions(const PointTable& table, const std::vector<MachineRow>& rows);
/// Returns an interaction per pair of axes.
std::vector<Interaction> axis_interactions(const PointTable& table,
                                           const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
