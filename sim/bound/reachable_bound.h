// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/units.h"
#include "sim/bound/graph_need.h"
#include "sim/machine/machine.h"

namespace okksim::sim::bound {

/// Lower bound of the time of any plan on a machine, from the launch's first instruction until all
/// engines are idle. README.md gives the reasons.
struct ReachableBound {
    models::Picoseconds issue;    ///< all commands are issued, and the last one ends
    models::Picoseconds compute;  ///< compute engines, between the first load and the last store
    models::Picoseconds memory;   ///< GDMA
    /// Dependences: loads, operators and stores that are not cut wait for each other as a whole,
    /// and every cut costs a command.
    models::Picoseconds path;

    models::Picoseconds time() const;
    /// Returns the name of the largest term: "issue", "compute", "memory" or "dependences". Returns
    /// "-" if there is nothing to do.
    const char* limit() const;
};

/// Returns the bound of the scope. No plan takes less time.
ReachableBound reachable_bound(const BoundScope& scope, const Machine& machine);

}  // namespace okksim::sim::bound
