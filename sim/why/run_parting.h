// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sim/why/recorded_events.h"

namespace okksim::sim::why {

/// Where two recordings of the same kernel or graph part: the first command in program order whose
/// result differs, or that is another one.
struct Parting {
    std::size_t event = 0;                 ///< in the recording that is asked about
    std::optional<std::size_t> reference;  ///< in the other; nothing: it has ended
    bool same_command = false;             ///< only the result differs
};

/// Nothing when all commands and results are the same.
std::optional<Parting> find_parting(const Recording& recording, const Recording& reference,
                                    const isa::MachineShape& machine);

/// "first result that differs from ref: bdc.mul ... in scale at k.c:12".
std::string parting_text(const Parting& parting, const Recording& recording,
                         const Recording& reference, const isa::MachineShape& machine);

}  // namespace okksim::sim::why
