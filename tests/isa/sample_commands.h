// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "isa/command.h"

namespace okksim::tests {

/// A small machine for tests: 4 lanes of 4 KiB in 8 banks, 64 KiB of global memory, 8 KiB of
/// L2-SRAM, 4 KiB of DTCM.
isa::MachineShape small_machine();

/// A command of the row (or pseudo-command of its sequence) on small_machine() that keeps every
/// rule: shape (2, 5, 3, 4) from lane 1, tensors apart from each other, in the aligned layout.
isa::Command sample_command(const isa::InstructionInfo& row);

/// A record with random operands that is well-formed (flags and enumerators are valid) but need not
/// keep the rules.
isa::Command random_record(const isa::InstructionInfo& row, std::mt19937& random);

/// The word of an operand or of one member of it: "C", "shape->c", "padding->top".
std::uint32_t& word_of(isa::Command& command, const std::string& argument);
bool has_operand(const isa::InstructionInfo& row, const std::string& name);

}  // namespace okksim::tests
