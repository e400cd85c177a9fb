// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "isa/command.h"

namespace okksim::tests {

/// Returns a small machine for tests: 4 lanes of 4 KiB in 8 banks. Global memory has 64 KiB,
/// L2-SRAM 8 KiB, DTCM 4 KiB.
isa::MachineShape small_machine();

/// Returns a command of the row (or pseudo-command of its sequence) on small_machine() that keeps
/// every rule. Its shape is (2, 5, 3, 4) from lane 1; its tensors are disjoint and in the aligned
/// layout.
isa::Command sample_command(const isa::InstructionInfo& row);

/// Returns a well-formed record with random operands: flags and enumerators are valid, but rules
/// may be broken.
isa::Command random_record(const isa::InstructionInfo& row, std::mt19937& random);

/// The word of an operand or of one of its members: "C", "shape->c", "padding->top".
std::uint32_t& word_of(isa::Command& command, const std::string& argument);
bool has_operand(const isa::InstructionInfo& row, const std::string& name);

}  // namespace okksim::tests
