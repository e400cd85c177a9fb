// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/units.h"
#include "sim/why/operand_elements.h"
#include "sim/why/recorded_events.h"

namespace okksim::sim::why {

/// Elements of an operand that have the same writer.
struct Written {
    std::optional<std::size_t> event;  ///< the writer's number; nullopt: nobody has written them
    std::uint64_t count = 0;
    Place place;                        ///< of the first one
    std::uint32_t value = 0;            ///< its bits, when the command read it
    std::optional<std::size_t> origin;  ///< where it comes from, as far as that was followed
};

/// An operand of a command, as far as an element of the result depends on it.
struct OriginOperand {
    const char* name = nullptr;
    std::uint64_t elements = 0;
    std::vector<Written> writers;  ///< the latest first
};

/// An element that a command has written.
struct Origin {
    std::size_t event = 0;
    Place place;
    std::size_t depth = 0;  ///< 0: the command that wrote what was asked for
    std::uint32_t value = 0;
    std::vector<OriginOperand> operands;
    models::Picoseconds start, end;
};

/// How far values are followed.
struct OriginLimits {
    std::size_t depth = 16;
    std::size_t width = 4;   ///< writers of one operand
    std::size_t most = 500;  ///< commands of the whole tree
};

/// Where an element comes from: a tree whose branches may meet.
struct OriginTree {
    Written asked;
    std::vector<Origin> origins;
};

/// Finds in one pass over the recording, from its end, who wrote an element, from what, and so on.
OriginTree find_origins(const Recording& recording, const isa::MachineShape& machine,
                        const Place& place, const OriginLimits& limits);

}  // namespace okksim::sim::why
