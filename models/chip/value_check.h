// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "isa/tensors.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// True if a command produces integers for table lookups; true if a command looks up a table.
bool converts_for_tables(isa::Opcode opcode);
bool looks_up(isa::Opcode opcode);

/// Returns a description of bad values that a command is about to read, if any: elements beyond the
/// table of a lookup. It has their number and the first. `before`: the last command that converts
/// for tables, if it was the previous compute command. `is_defined` is true for a word of a lane
/// that derives from written memory; other words are ignored.
std::optional<std::string> find_bad_values(
    const isa::Command& command, const isa::Command& before, const isa::TensorViews& views,
    LocalMemory& local, const isa::MachineShape& machine,
    const std::function<bool(std::int32_t lane, std::int64_t offset)>& is_defined);

/// Returns a description of a harmful overlap of a command's tensors, if any. The result shares
/// memory with a source but is not in-place, so the command reads overwritten elements. A result
/// that stays after the read position, as in sums of halves of rows, is fine. Elements of one
/// result that share memory are an overlap, too.
std::optional<std::string> find_overlap(const isa::Command& command, const isa::TensorViews& views,
                                        const isa::MachineShape& machine);

}  // namespace okksim::models
