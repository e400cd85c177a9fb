// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// The type of an argument: a type parameter of the operator's table of data types, or a fixed
/// type.
enum class ArgumentType {
    kIn,           ///< in_t
    kOut,          ///< out_t
    kInOut,        ///< in_out_t
    kWeight,       ///< weight_t
    kAccumulator,  ///< acc_t; not an operand: the attribute acc_type
    kTable,        ///< table_t
    kIndex,        ///< index_t
    kMultiplier,   ///< mul_t of RESCALE: i32_t or i16_t by the attribute scale32
    kBoolean,      ///< bool_t
    kInt8,         ///< i8_t
    kShape,        ///< shape_t
    kAny,          ///< any type (tensor_list_t)
};

/// The time at which an input's value must be known.
enum class Binding { kRunTime, kConstant };

/// One row of an operator's argument table.
struct OperandRule {
    OpCode op;
    std::string_view name;
    ArgumentType type;
    int min_rank;
    int max_rank;
    Binding binding;
};

/// The numbers of operands that an operator accepts.
struct OperandCounts {
    std::size_t min_inputs = 0;
    std::size_t max_inputs = 0;
    std::size_t min_outputs = 0;
    std::size_t max_outputs = 0;
};

/// Return the rows of an operator's inputs and outputs. Operands beyond the last row use the last
/// row (lists).
std::span<const OperandRule> input_rules(OpCode op);
std::span<const OperandRule> output_rules(OpCode op);

OperandCounts operand_counts(OpCode op);

/// ProgramFault kIllegalGraph if the operator has too few or too many inputs or outputs.
void check_operand_counts(const Block& block, const Operator& op);

/// Return the row of input or output `index`.
const OperandRule& input_rule(OpCode op, std::size_t index);
const OperandRule& output_rule(OpCode op, std::size_t index);

}  // namespace okksim::sim::graph
