// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/assembly_error.h"
#include "isa/codec.h"
#include "isa/command.h"

namespace okksim::isa {

/// Reads one line in the notation of disassemble(). Every operand is given exactly once, in any
/// order. Ids stand after a '|'; missing ids are zero. Throws AssemblyError.
Command assemble_line(std::string_view text, const MachineShape& machine, int line_number = 1);

/// Reads a listing: a .machine line (not needed when `machine` is given), commands, empty lines,
/// and comments from '#' to the end of the line. A command without ids gets the next id of its
/// engine and waits for all commands before it, as in serial mode. Throws AssemblyError.
CommandFile assemble(std::string_view text, std::optional<MachineShape> machine = std::nullopt);

}  // namespace okksim::isa
