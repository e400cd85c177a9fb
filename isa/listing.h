// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/types.h"

namespace okksim::isa {

/// Text forms that the assembler and the disassembler share.

/// A field of the .machine line of a listing.
struct MachineField {
    const char* name;
    std::uint64_t (*get)(const MachineShape&);
    void (*set)(MachineShape&, std::uint64_t);
};

#define OKKSIM_MACHINE_FIELD(name)                                                      \
    MachineField {                                                                      \
#name, [](const MachineShape& m) { return static_cast<std::uint64_t>(m.name); },      \
            [](MachineShape& m, std::uint64_t v) { m.name = static_cast<decltype(m.name)>(v); } \
    }
inline constexpr std::array<MachineField, 10> kMachineFields = {
    OKKSIM_MACHINE_FIELD(lanes),        OKKSIM_MACHINE_FIELD(local_bytes),
    OKKSIM_MACHINE_FIELD(local_banks),  OKKSIM_MACHINE_FIELD(vector_words),
    OKKSIM_MACHINE_FIELD(l2_start),     OKKSIM_MACHINE_FIELD(l2_bytes),
    OKKSIM_MACHINE_FIELD(dtcm_start),   OKKSIM_MACHINE_FIELD(dtcm_bytes),
    OKKSIM_MACHINE_FIELD(global_start), OKKSIM_MACHINE_FIELD(global_bytes)};
#undef OKKSIM_MACHINE_FIELD

/// A system memory with its name in listings.
struct NamedMemory {
    const char* name;
    std::uint64_t start;
    std::uint64_t bytes;
};
inline std::array<NamedMemory, 3> named_memories(const MachineShape& machine) {
    return {NamedMemory{"global", machine.global_start, machine.global_bytes},
            NamedMemory{"l2", machine.l2_start, machine.l2_bytes},
            NamedMemory{"dtcm", machine.dtcm_start, machine.dtcm_bytes}};
}

}  // namespace okksim::isa
