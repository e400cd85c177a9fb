// SPDX-License-Identifier: Apache-2.0
// Incomplete rows of the tables do not compile; the message names row and column.
#include "isa/instructions.h"
#include "isa/row_check.h"

namespace okksim::isa {
namespace {

// Names that a column may hold, separated by blanks.
#define OKKSIM_LISTED(name, ...) #name " "
constexpr const char* kDataTypeNames = OKKSIM_DATA_TYPES(OKKSIM_LISTED);
constexpr const char* kKindNames = OKKSIM_INSTRUCTION_KINDS(OKKSIM_LISTED);
constexpr const char* kTimingNames =
#define OKKSIM_TIMING_CLASS OKKSIM_LISTED
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS
    ;
constexpr const char* kFeatureNames =
#define OKKSIM_FEATURE OKKSIM_LISTED
#include "isa/features.def"
#undef OKKSIM_FEATURE
    ;
#undef OKKSIM_LISTED

constexpr auto kInstructionColumns = std::to_array<bool (*)(std::string_view)>({
    is_code,
    is_lower_name,
    is_upper_name,
    [](std::string_view text) { return is_one_of(text, kDataTypeNames); },
    [](std::string_view text) { return is_one_of(text, kTimingNames); },
    [](std::string_view text) { return is_one_of(text, kKindNames); },
    is_call,
    [](std::string_view text) { return is_one_of(text, kFeatureNames); },
    is_text,
});

constexpr auto kTimingColumns = std::to_array<bool (*)(std::string_view)>({
    is_constant,
    [](std::string_view text) { return is_one_of(text, "kGdma kBdc "); },
    is_lower_name,
    is_call,
    is_number,
    is_text,
    is_text,
});

#define OKKSIM_COLUMN(table, columns, number, name, row)    \
    static_assert(missing_column(row, columns) != (number), \
                  table ": no " name " (column " #number ") in the row " row);

#define OKKSIM_INSTRUCTION(...)                                                             \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 1, "opcode", #__VA_ARGS__)       \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 2, "name", #__VA_ARGS__)         \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 3, "form", #__VA_ARGS__)         \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 4, "data type", #__VA_ARGS__)    \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 5, "timing class", #__VA_ARGS__) \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 6, "kind", #__VA_ARGS__)         \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 7, "semantics", #__VA_ARGS__)    \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 8, "feature", #__VA_ARGS__)      \
    OKKSIM_COLUMN("instructions.def", kInstructionColumns, 9, "meaning", #__VA_ARGS__)
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION

#define OKKSIM_TIMING_CLASS(...)                                                           \
    OKKSIM_COLUMN("timing_classes.def", kTimingColumns, 1, "name", #__VA_ARGS__)           \
    OKKSIM_COLUMN("timing_classes.def", kTimingColumns, 2, "engine", #__VA_ARGS__)         \
    OKKSIM_COLUMN("timing_classes.def", kTimingColumns, 3, "law", #__VA_ARGS__)            \
    OKKSIM_COLUMN("timing_classes.def", kTimingColumns, 4, "parameters", #__VA_ARGS__)     \
    OKKSIM_COLUMN("timing_classes.def", kTimingColumns, 5, "operations", #__VA_ARGS__)     \
    OKKSIM_COLUMN("timing_classes.def", kTimingColumns, 6, "text in ISA.md", #__VA_ARGS__) \
    OKKSIM_COLUMN("timing_classes.def", kTimingColumns, 7, "text in reports", #__VA_ARGS__)
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS

constexpr auto kOperandColumns = std::to_array<bool (*)(std::string_view)>({
    is_upper_name,
    [](std::string_view text) { return !text.empty() && !is_call(text); },
    is_call,
    is_call,
});
#define OKKSIM_OPERAND(...)                                               \
    OKKSIM_COLUMN("forms.def", kOperandColumns, 1, "kind", #__VA_ARGS__)  \
    OKKSIM_COLUMN("forms.def", kOperandColumns, 2, "name", #__VA_ARGS__)  \
    OKKSIM_COLUMN("forms.def", kOperandColumns, 3, "rules", #__VA_ARGS__) \
    OKKSIM_COLUMN("forms.def", kOperandColumns, 4, "role", #__VA_ARGS__)
#define OKKSIM_FORM(name) OKKSIM_FORM_##name(OKKSIM_OPERAND)
OKKSIM_FORMS(OKKSIM_FORM)
#undef OKKSIM_FORM
#undef OKKSIM_OPERAND

// ---- Columns that must agree --------------------------------------------------------------------

/// Executing unit of each semantics.
enum class Unit { kMover, kCompute, kFirmware };
#define OKKSIM_UNIT_mover(...) Unit::kMover
#define OKKSIM_UNIT_vector(...) Unit::kCompute
#define OKKSIM_UNIT_fixed(...) Unit::kCompute
#define OKKSIM_UNIT_array(...) Unit::kCompute
#define OKKSIM_UNIT_typed(...) Unit::kCompute
#define OKKSIM_UNIT_sequence(...) Unit::kFirmware

constexpr Unit unit_of(TimingClass timing) {
    if (timing == TimingClass::kSequence) return Unit::kFirmware;
    return engine_of(timing) == Engine::kGdma ? Unit::kMover : Unit::kCompute;
}

#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, feature, meaning) \
    static_assert(OKKSIM_UNIT_##semantics == unit_of(TimingClass::timing),                    \
                  "instructions.def: the semantics " #semantics " of " #name                  \
                  " are not of the engine of its timing class " #timing);                     \
    static_assert((InstructionKind::kind == InstructionKind::kSequence) ==                    \
                      (TimingClass::timing == TimingClass::kSequence),                        \
                  "instructions.def: kind " #kind " and timing class " #timing " of " #name   \
                  " contradict each other");
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION

}  // namespace
}  // namespace okksim::isa
