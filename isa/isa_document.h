// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "isa/instructions.h"

namespace okksim::isa {

/// Documentation of one operand, derived from the table. Texts that do not apply are empty.
struct OperandDocument {
    std::string name;
    std::string type;    ///< "local address", "shape", ...
    int first_word = 0;  ///< in the record's operand words
    int words = 1;
    std::string access;     ///< "read", "write", "update"
    std::string range;      ///< allowed values
    std::string alignment;  ///< of an address, in bytes
    std::string layout;
    std::string lane;  ///< rule for the start lane
};

/// Documentation of one row of the table.
struct InstructionDocument {
    const InstructionInfo* info = nullptr;
    std::string mnemonic;  ///< of commands
    std::string function;  ///< of functions of the API
    std::string engine;
    std::string data;
    std::string timing;
    std::string sequence;  ///< the commands of a function that consists of several
    std::vector<OperandDocument> operands;
};

/// The documents of all rows, in table order.
std::vector<InstructionDocument> document_instructions();

/// Returns the commands that the firmware issues for a kSequence row, in assembler notation. The
/// letters d, s and w are destination, source and work. Empty for other rows.
std::string sequence_text(Opcode opcode);

/// The instruction set manual; isa/ISA.md is this text.
std::string isa_markdown();

/// The table as JSON: {"version", "hash", "record_bytes", "instructions": [...]}.
std::string isa_json();

/// Returns the manual's chapters on records, layouts and arithmetic, which do not follow from the
/// table.
const char* isa_definitions_markdown();

}  // namespace okksim::isa
