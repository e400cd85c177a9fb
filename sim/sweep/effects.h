// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// What a parameter does to the first objective, whatever the others say. Where points are many
/// enough, it is fitted beside those of the other axes: in designs whose values do not all meet
/// equally often (chosen points, constraints, searches) it is told apart from what the other axes
/// do at the same time.
struct Effect {
    std::string parameter;
    std::string best, worst;  ///< values, or quarters of many numbers
    double ratio = 1;         ///< geometric means: worst / best
    /// Of chosen points: more than three times the standard error of the difference, which what the
    /// parameters leave unexplained makes as if it were chance. Otherwise true.
    bool stands_out = true;
};
/// By their size, those that stand out first.
std::vector<Effect> main_effects(const PointTable& table, const std::vector<MachineRow>& rows);

/// Two parameters whose effects are not the product of their own.
struct Interaction {
    std::string first, second;
    double ratio = 1;  ///< the largest factor that their own effects do not explain
};
/// By their size. Of chosen points only what stands out from chance.
std::vector<Interaction> interactions(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
