// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "isa/features.h"
#include "sim/graph/graph.h"
#include "sim/machine/machine.h"

namespace okksim::sim::planning {

/// Operators that multiply elements of a type without an instruction of the machine. Firmware
/// converts the elements and uses fp32 instructions, with the same results and in more time.
struct EmulatedType {
    tosa::DType type;
    isa::Feature missing;
    std::size_t operators = 0;
};

/// Returns the types whose products the machine lacks, by type. Only convolutions and matrix
/// products count, because most of a network's time is theirs.
std::vector<EmulatedType> emulated_types(const graph::Graph& graph, const Machine& machine);

/// A built-in machine, or the user's for an empty name, with settings.
struct MachineChange {
    std::string name;
    std::vector<std::string> settings;

    /// Returns "--machine bm1684-int8 --set mcu.issue=lists".
    std::string flags() const;
};

/// Returns a built-in machine with the instructions that the types need, one derived from
/// `machine` first. Returns nothing if no machine has all of them, or if there are no types.
std::optional<MachineChange> native_machine(const std::vector<EmulatedType>& types,
                                            const Machine& machine);

/// Returns a line per emulated type that names the flags of a machine with these instructions;
/// empty if there are none.
std::string emulation_text(const std::vector<EmulatedType>& types, const Machine& machine);

/// Returns an array with an object per type: "type", "missing", "operators".
nlohmann::ordered_json emulation_json(const std::vector<EmulatedType>& types);

}  // namespace okksim::sim::planning
