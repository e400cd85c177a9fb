// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/units.h"
#include "sim/bound/graph_need.h"
#include "sim/machine/machine.h"

namespace okksim::sim::bound {

/// The least time that any plan can take on a machine, from the launch's first instruction to when
/// all engines are idle. README.md has the reasons.
struct ReachableBound {
    models::Picoseconds issue;  ///< all commands come to their engines, and the last one ends
    models::Picoseconds
        compute;                 ///< the compute engines, between the first load and the last store
    models::Picoseconds memory;  ///< the data mover
    /// With dependences: loads, operators and stores that are not cut wait for each other as a
    /// whole, and every cut costs a command.
    models::Picoseconds path;

    models::Picoseconds time() const;
    /// What sets it: "issue", "compute", "memory", "dependences"; "-" when there is nothing to do.
    const char* limit() const;
};

/// Never above the time of any plan of the scope.
ReachableBound reachable_bound(const BoundScope& scope, const Machine& machine);

}  // namespace okksim::sim::bound
