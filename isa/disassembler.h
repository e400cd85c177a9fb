// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/codec.h"
#include "isa/command.h"

namespace okksim::isa {

/// Mnemonic of an instruction: its name with the engine set apart, e.g. "bdc.add".
std::string mnemonic(const InstructionInfo& info);

/// One operand as text; see disassemble().
std::string operand_text(const Command& command, const OperandInfo& operand,
                         const MachineShape& machine);

/// One line without the line end: the mnemonic and the operands by name, then, behind a bar, the
/// command's id and the ids it waits for (zeros left out):
///   bdc.add dst_addr=0:0x80, src0_addr=0:0x100, ..., shape=(1, 3, 5, 7), ... | id=3 wait_gdma=2
/// Local addresses are lane:offset; system addresses are an offset into the memory that holds them
/// (global+0x1000, l2+0x80, dtcm+0x10), or a number. Floats have as many digits as their bits need;
/// NaNs and values that are not of their type are numbers. assemble_line() gives the command back
/// exactly.
std::string disassemble(const Command& command, const MachineShape& machine);

/// The same without the ids: what the command does, but not when.
std::string disassemble_operation(const Command& command, const MachineShape& machine);

/// A listing: the machine, then one line per command. assemble() gives the file back exactly.
std::string disassemble(const CommandFile& file);

}  // namespace okksim::isa
