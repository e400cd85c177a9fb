// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/command_check.h"

#include <algorithm>

#include "isa/codec.h"
#include "isa/tensors.h"

namespace okksim::sim::trace {
namespace {

using isa::OperandKind;

/// Extents that no kernel exceeds; products of them stay within 64 bits.
constexpr std::int64_t kLargestExtent = 1 << 20;

bool is_extent(std::uint32_t word) {
    const auto value = static_cast<std::int32_t>(word);
    return value >= 1 && value <= kLargestExtent;
}

bool in_memory(const isa::MachineShape& machine, std::uint64_t address) {
    return address - machine.global_start < machine.global_bytes ||
           address - machine.l2_start < machine.l2_bytes ||
           address - machine.dtcm_start < machine.dtcm_bytes;
}

}  // namespace

bool has_meaning(const isa::Command& command, const isa::MachineShape& machine) {
    for (const isa::OperandInfo& operand : command.info().operands()) {
        const std::uint32_t* words = &command.words[operand.first_word];
        const bool counts = operand.rules.ranged && operand.rules.low >= 1;
        switch (operand.kind) {
            case OperandKind::kShape:
                if (!std::all_of(words, words + 4, is_extent)) return false;
                break;
            case OperandKind::kStep:
                if (!is_extent(words[0]) || !is_extent(words[1])) return false;
                break;
            case OperandKind::kInt:
                if (counts && !is_extent(words[0])) return false;
                break;
            case OperandKind::kPadding:
                if (std::any_of(words, words + 4, [](std::uint32_t w) {
                        return static_cast<std::int32_t>(w) < 0 || w > kLargestExtent;
                    })) {
                    return false;
                }
                break;
            default: break;
        }
    }
    const isa::TensorViews views = isa::tensor_views(command, machine);
    return std::all_of(views.begin(), views.end(), [&](const isa::TensorView& view) {
        return view.local || in_memory(machine, view.system_addr.value());
    });
}

std::optional<std::string> command_problem(const isa::Command& command,
                                           const isa::MachineShape& machine) {
    if (auto problem = isa::record_error(command)) return problem;
    if (!has_meaning(command, machine)) {
        return "a shape, count or system address is out of range for this machine";
    }
    return std::nullopt;
}

}  // namespace okksim::sim::trace
