// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sim/why/recorded_events.h"

namespace okksim::sim::why {

/// The first difference between two recordings of the same kernel or graph: the first command in
/// program order that differs or has another result.
struct Parting {
    std::size_t event = 0;                 ///< in the recording in question
    std::optional<std::size_t> reference;  ///< in the other recording; nothing: it has ended
    bool same_command = false;             ///< only the result differs
};

/// Returns nothing if all commands and results are equal.
std::optional<Parting> find_parting(const Recording& recording, const Recording& reference,
                                    const isa::MachineShape& machine);

/// Returns e.g. "first result that differs from ref: bdc.mul ... in scale at k.c:12".
std::string parting_text(const Parting& parting, const Recording& recording,
                         const Recording& reference, const isa::MachineShape& machine);

}  // namespace okksim::sim::why
