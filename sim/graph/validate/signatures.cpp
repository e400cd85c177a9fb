// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/validate/signatures.h"

#include <algorithm>
#include <array>
#include <limits>

#include "isa/base/errors.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/levels.h"

namespace okksim::sim::graph {

namespace {

using enum ArgumentType;
using enum Binding;

#define OKKSIM_TOSA_TYPES(...)
#define OKKSIM_TOSA_INPUT(op, name, type, min_rank, max_rank, binding) \
    OperandRule{OpCode::op, name, type, min_rank, max_rank, binding},
#define OKKSIM_TOSA_OUTPUT(op, name, type, min_rank, max_rank)
constexpr OperandRule kInputs[] = {
#include "sim/graph/validate/signatures.def"
};
#undef OKKSIM_TOSA_INPUT
#undef OKKSIM_TOSA_OUTPUT

#define OKKSIM_TOSA_INPUT(op, name, type, min_rank, max_rank, binding)
#define OKKSIM_TOSA_OUTPUT(op, name, type, min_rank, max_rank) \
    OperandRule{OpCode::op, name, type, min_rank, max_rank, kRunTime},
constexpr OperandRule kOutputs[] = {
#include "sim/graph/validate/signatures.def"
};
#undef OKKSIM_TOSA_INPUT
#undef OKKSIM_TOSA_OUTPUT
#undef OKKSIM_TOSA_TYPES

constexpr bool is_sorted(std::span<const OperandRule> rows) {
    return std::is_sorted(rows.begin(), rows.end(),
                          [](const OperandRule& a, const OperandRule& b) { return a.op < b.op; });
}
static_assert(is_sorted(kInputs) && is_sorted(kOutputs),
              "sim/graph/validate/signatures.def: rows in the order of the operators' numbers");

/// Returns the rows of one operator, which are contiguous; the table has the order of the
/// operators.
std::span<const OperandRule> rows_of(std::span<const OperandRule> rows, OpCode op) {
    const auto [first, last] =
        std::equal_range(rows.begin(), rows.end(), OperandRule{op, {}, kAny, 0, 0, kRunTime},
                         [](const OperandRule& a, const OperandRule& b) { return a.op < b.op; });
    return {first, last};
}

std::string range_text(std::size_t least, std::size_t most) {
    if (most == std::numeric_limits<std::size_t>::max()) return std::to_string(least) + " or more";
    return std::to_string(least);
}

void check_count(const Block& block, const Operator& op, const char* what, std::size_t count,
                 std::size_t least, std::size_t most) {
    if (count >= least && count <= most) return;
    throw_illegal_graph({&block, &op, what, std::to_string(count)},
                        std::string("ERROR_IF the operator's ") + what +
                            "s do not meet its arguments: it takes " + range_text(least, most),
                        op_section(op.op));
}

}  // namespace

std::span<const OperandRule> input_rules(OpCode op) { return rows_of(kInputs, op); }
std::span<const OperandRule> output_rules(OpCode op) { return rows_of(kOutputs, op); }

OperandCounts operand_counts(OpCode op) {
    constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
    const std::size_t inputs = input_rules(op).size();
    const std::size_t outputs = output_rules(op).size();
    if (op == OpCode::kConcat) return {1, kUnlimited, 1, 1};
    if (op == OpCode::kCondIf) return {1, kUnlimited, 0, kUnlimited};
    if (op == OpCode::kWhileLoop || op == OpCode::kCustom) return {0, kUnlimited, 0, kUnlimited};
    return {inputs, inputs, outputs, outputs};
}

void check_operand_counts(const Block& block, const Operator& op) {
    const OperandCounts counts = operand_counts(op.op);
    check_count(block, op, "input", op.inputs.size(), counts.min_inputs, counts.max_inputs);
    check_count(block, op, "output", op.outputs.size(), counts.min_outputs, counts.max_outputs);
}

const OperandRule& input_rule(OpCode op, std::size_t index) {
    const auto rules = input_rules(op);
    OKKSIM_CHECK(!rules.empty());
    return rules[std::min(index, rules.size() - 1)];
}

const OperandRule& output_rule(OpCode op, std::size_t index) {
    const auto rules = output_rules(op);
    OKKSIM_CHECK(!rules.empty());
    return rules[std::min(index, rules.size() - 1)];
}

}  // namespace okksim::sim::graph
