// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isa/features.h"
#include "isa/operands.h"

namespace okksim::isa {

/// Operation codes; the numbers are the binary encoding and never reused.
enum class Opcode : std::uint16_t {
#define OKKSIM_INSTRUCTION(code, name, ...) name = code,
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

// Enumerations whose names the rows hold; the lists also serve to recognise a missing column.
#define OKKSIM_DATA_TYPES(NAME)                                  \
    NAME(kFp32)                                                  \
    NAME(kInt32)                                                 \
    NAME(kBits32)                                                \
    NAME(kBits16)                                                \
    NAME(kBits8)                                                 \
    NAME(kFixed)   /* 8- or 16-bit by op_type, packed 4N / 2N */ \
    NAME(kFixed8)  /* 8-bit */                                   \
    NAME(kFixed16) /* 16-bit packed 2N (8-bit operands 4N) */    \
    NAME(kTyped)   /* every tensor of the type that an operand gives */

#define OKKSIM_INSTRUCTION_KINDS(NAME) \
    NAME(kCommand)                     \
    NAME(kAlignedLayout)               \
    NAME(kSequence)                    \
    NAME(kCommandOnly)

#define OKKSIM_ENUMERATOR(name) name,
/// Element type of the tensors of an instruction.
enum class DataType : std::uint8_t { OKKSIM_DATA_TYPES(OKKSIM_ENUMERATOR) };
/// Relation between a row and the API (see instructions.def).
enum class InstructionKind : std::uint8_t { OKKSIM_INSTRUCTION_KINDS(OKKSIM_ENUMERATOR) };
#undef OKKSIM_ENUMERATOR

/// Class of instructions with the same cost formula; rows of timing_classes.def.
enum class TimingClass : std::uint8_t {
#define OKKSIM_TIMING_CLASS(name, ...) name,
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS
};

/// Names of a timing class. Its cost formula belongs to the models (bdc_laws.h).
struct TimingClassInfo {
    TimingClass timing;
    Engine engine;
    const char* name;         ///< in ISA.md
    const char* report_name;  ///< in reports of where time went
};
inline constexpr auto kTimingClasses = std::to_array<TimingClassInfo>({
#define OKKSIM_TIMING_CLASS(name, engine, law, parameters, operations, text, report_text) \
    {TimingClass::name, Engine::engine, text, report_text},
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS
});
constexpr const TimingClassInfo& timing_class(TimingClass timing) {
    return kTimingClasses[static_cast<std::size_t>(timing)];
}
constexpr Engine engine_of(TimingClass timing) { return timing_class(timing).engine; }

/// One row of the instruction table.
struct InstructionInfo {
    Opcode opcode;
    const char* name;  ///< the API function is "okk_" + name
    Form form;
    DataType data;
    TimingClass timing;
    InstructionKind kind;
    Feature feature;
    const char* meaning;
    Engine engine;

    bool is_command() const { return kind != InstructionKind::kSequence; }
    bool is_function() const { return kind != InstructionKind::kCommandOnly; }
    /// One of the API reference's functions.
    bool is_documented() const { return is_function() && feature == Feature::kBase; }
    std::span<const OperandInfo> operands() const { return form_operands(form); }
};

/// All rows in table order.
std::span<const InstructionInfo> instructions();
/// Rows of the table.
inline constexpr std::size_t kInstructionCount = 0
#define OKKSIM_INSTRUCTION(...) +1
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
    ;
/// Index of a row in the table. Tables that other units generate from the same rows have this
/// order.
inline std::size_t row_index(const InstructionInfo& info) {
    return static_cast<std::size_t>(&info - instructions().data());
}
/// The row of an opcode that is in the table.
const InstructionInfo& instruction(Opcode opcode);
/// The row with a raw operation code, or nothing when no row has it.
const InstructionInfo* find_instruction(std::uint16_t code);
/// The row with this name ("bdc_add"), function ("okk_bdc_add") or mnemonic ("bdc.add").
const InstructionInfo* find_instruction(std::string_view name);
/// Bytes of one element of the unpacked GDMA / 32-bit tensors of an instruction.
int element_bytes(DataType data);

}  // namespace okksim::isa
