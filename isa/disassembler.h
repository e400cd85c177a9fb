// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/codec.h"
#include "isa/command.h"

namespace okksim::isa {

/// Mnemonic of an instruction: its name with the engine set apart, e.g. "bdc.add".
std::string mnemonic(const InstructionInfo& info);

/// Returns one operand as text; see disassemble().
std::string operand_text(const Command& command, const OperandInfo& operand,
                         const MachineShape& machine);

/// Returns one line without the line end: the mnemonic, the operands by name, '|', the command's id
/// and the ids it waits for. Ids that are zero are left out:
///   bdc.add dst_addr=0:0x80, src0_addr=0:0x100, ..., shape=(1, 3, 5, 7), ... | id=3 wait_gdma=2
/// Local addresses are lane:offset. System addresses are a number, or an offset into the memory
/// that holds them (global+0x1000, l2+0x80, dtcm+0x10). Floats have the digits that restore their
/// bits; NaNs and values outside their type are numbers. assemble_line() restores the command
/// exactly.
std::string disassemble(const Command& command, const MachineShape& machine);

/// Returns disassemble() without the ids: the operation, but not its order.
std::string disassemble_operation(const Command& command, const MachineShape& machine);

/// Returns a listing: the machine, then one line per command. assemble() restores the file exactly.
std::string disassemble(const CommandFile& file);

}  // namespace okksim::isa
