// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/operands.h"

namespace okksim::isa {

/// Operation codes; the numbers are the binary encoding and never reused.
enum class Opcode : std::uint16_t {
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, meaning) name = code,
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

/// Element type of the tensors of an instruction.
enum class DataType : std::uint8_t {
    kFp32,
    kInt32,
    kBits32,
    kBits16,
    kBits8,
    kFixed,    ///< 8- or 16-bit by op_type, packed 4N / 2N
    kFixed8,   ///< 8-bit
    kFixed16,  ///< 16-bit packed 2N (8-bit operands 4N)
};

/// Class of timing law an instruction follows (models/bdc, models/gdma).
enum class TimingClass : std::uint8_t {
    kGdmaCopy,
    kGdmaMatrix,
    kGdmaFill,
    kCopy,
    kConvert,
    kLookup,
    kArithmetic,
    kArithmeticConstant,
    kMac,
    kMacConstant,
    kDivide,
    kDivideConstant,
    kReciprocal,
    kRsqrt,
    kSqrt,
    kSeries,
    kLinear,
    kConvolution,
    kDepthwise,
    kPool,
    kMatmul,
    kFixedArithmetic,
    kFixedMul,
    kFixedMac,
    kFixedMaximum,
    kFixedMinimum,
    kFixedShift,
    kSequence,  ///< no law of its own: the sum of its commands
};

/// How a row relates to the API (see instructions.def).
enum class InstructionKind : std::uint8_t { kCommand, kAlignedLayout, kSequence, kCommandOnly };

/// One row of the instruction table.
struct InstructionInfo {
    Opcode opcode;
    const char* name;  ///< the API function is "okk_" + name
    Form form;
    DataType data;
    TimingClass timing;
    InstructionKind kind;
    const char* meaning;
    Engine engine;

    bool is_command() const { return kind != InstructionKind::kSequence; }
    bool is_function() const { return kind != InstructionKind::kCommandOnly; }
    std::span<const OperandInfo> operands() const { return form_operands(form); }
};

/// All rows in table order.
std::span<const InstructionInfo> instructions();
/// The row of an opcode that is in the table.
const InstructionInfo& instruction(Opcode opcode);
/// The row with a raw operation code, or nothing when no row has it.
const InstructionInfo* find_instruction(std::uint16_t code);
/// The row with this name ("bdc_add"), function ("okk_bdc_add") or mnemonic ("bdc.add").
const InstructionInfo* find_instruction(std::string_view name);
/// Bytes of one element of the unpacked GDMA / 32-bit tensors of an instruction.
int element_bytes(DataType data);

}  // namespace okksim::isa
