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
    std::optional<std::size_t> event;  ///< the writer; nullopt: uninitialised
    std::uint64_t count = 0;
    Place place;                        ///< of the first element
    std::uint32_t value = 0;            ///< the first element's bits at the command's read
    std::optional<std::size_t> origin;  ///< index of its origin in the tree, if followed
};

/// The elements of a command's operand on which an element of the result depends.
struct OriginOperand {
    const char* name = nullptr;
    std::uint64_t elements = 0;
    std::vector<Written> writers;  ///< latest first
};

/// An element written by a command.
struct Origin {
    std::size_t event = 0;
    Place place;
    std::size_t depth = 0;  ///< 0: the command that wrote the requested element
    std::uint32_t value = 0;
    std::vector<OriginOperand> operands;
    models::Picoseconds start, end;
};

/// Limits of the search.
struct OriginLimits {
    std::size_t depth = 16;
    std::size_t width = 4;   ///< writers of one operand
    std::size_t most = 500;  ///< commands of the whole tree
};

/// The origins of an element: a tree whose branches may meet.
struct OriginTree {
    Written asked;
    std::vector<Origin> origins;
};

/// Finds the writer of an element, the writers of that command's operands, and so on. One pass over
/// the recording from its end is sufficient.
OriginTree find_origins(const Recording& recording, const isa::MachineShape& machine,
                        const Place& place, const OriginLimits& limits);

}  // namespace okksim::sim::why
