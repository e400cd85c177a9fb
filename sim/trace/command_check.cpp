// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/command_check.h"

#include <algorithm>

#include "isa/codec.h"
#include "isa/rules.h"

namespace okksim::sim::trace {
namespace {

using isa::OperandKind;

/// Limit on the product of all extents and counts of a command. Commands that fit local memory are
/// below it. Times and sizes below it fit 64 bits.
constexpr double kMostWork = 0x1p46;
/// Largest padding on any side; the documentation allows 15.
constexpr std::int32_t kMostPadding = 64;

/// Multiplies the extents of a command together.
class Extents {
 public:
    bool add(std::uint32_t word) {
        const auto value = static_cast<std::int32_t>(word);
        product_ *= value;
        return value >= 1 && product_ <= kMostWork;
    }
    bool add(const std::uint32_t* words, int count) {
        return std::all_of(words, words + count, [this](std::uint32_t word) { return add(word); });
    }

 private:
    double product_ = 1;
};

bool is_padding(std::uint32_t word) {
    const auto value = static_cast<std::int32_t>(word);
    return value >= 0 && value <= kMostPadding;
}

bool is_sound(const isa::OperandInfo& operand, const std::uint32_t* words,
              const isa::MachineShape& machine, Extents& extents) {
    switch (operand.kind) {
        case OperandKind::kShape: return extents.add(words, 4);
        case OperandKind::kStep: return extents.add(words, 2);
        case OperandKind::kInt: {
            const bool counts = operand.rules.ranged && operand.rules.low >= 1;
            return !counts || extents.add(words[0]);
        }
        case OperandKind::kPadding: return std::all_of(words, words + 4, is_padding);
        case OperandKind::kSystem:
            return machine.in_one_memory(isa::SystemAddr{words[0], words[1]}.value());
        case OperandKind::kLocal:
        case OperandKind::kStride:
        case OperandKind::kFloat:
        case OperandKind::kBits:
        case OperandKind::kBool:
        case OperandKind::kOpTypes:
        case OperandKind::kMulTypes:
        case OperandKind::kElement: return true;
    }
    __builtin_unreachable();
}

}  // namespace

bool has_meaning(const isa::Command& command, const isa::MachineShape& machine) {
    Extents extents;
    const auto operands = command.info().operands();
    return std::all_of(operands.begin(), operands.end(), [&](const isa::OperandInfo& operand) {
        return is_sound(operand, &command.words[operand.first_word], machine, extents);
    });
}

std::optional<std::string> command_problem(const isa::Command& command,
                                           const isa::MachineShape& machine) {
    if (auto problem = isa::record_error(command)) return problem;
    if (const auto violation = isa::check_feature(command, machine)) return violation->rule;
    if (!has_meaning(command, machine)) {
        return "a shape, count or system address is out of range for this machine";
    }
    return std::nullopt;
}

std::optional<std::string> access_problem(const isa::ProcessorAccess& access,
                                          const isa::MachineShape& machine) {
    if (machine.in_one_memory(access.address.value(), access.bytes)) return std::nullopt;
    return "a load or store of the control processor is outside every memory of this machine";
}

}  // namespace okksim::sim::trace
