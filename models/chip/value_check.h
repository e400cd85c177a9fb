// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "isa/tensors.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Whether a command makes integers that tables are asked for with, and whether it asks one.
bool converts_for_tables(isa::Opcode opcode);
bool looks_up(isa::Opcode opcode);

/// What is wrong with the values that a command is about to take, if anything: elements beyond the
/// table of a lookup, how many and the first. `before`: the last command that converts for tables,
/// if it was the compute command before. `is_defined` tells of a word of a lane whether it comes of
/// written memory; others are left out.
std::optional<std::string> find_bad_values(
    const isa::Command& command, const isa::Command& before, const isa::TensorViews& views,
    LocalMemory& local, const isa::MachineShape& machine,
    const std::function<bool(std::int32_t lane, std::int64_t offset)>& is_defined);

/// What is wrong with where a command's tensors lie, if anything: a result that shares memory with
/// a source without being in its very place, so that elements count that are overwritten already.
/// Results that follow behind what is read, as sums of halves of rows do, are fine.
std::optional<std::string> find_overlap(const isa::Command& command, const isa::TensorViews& views,
                                        const isa::MachineShape& machine);

}  // namespace okksim::models
