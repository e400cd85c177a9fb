// SPDX-License-Identifier: Apache-2.0
#include "isa/rules.h"

#include "isa/form_rules.h"
#include "isa/hex.h"
#include "isa/operand_rules.h"
#include "isa/tensors.h"

namespace okksim::isa {
namespace {

std::string interval_text(const ByteInterval& interval) {
    const auto text = [](std::int64_t value) {
        return value < 0 ? std::to_string(value) : hex(static_cast<std::uint64_t>(value));
    };
    return "bytes [" + text(interval.low) + ", " + text(interval.high) + ")";
}

std::string region_text(const char* name, std::uint64_t start, std::uint64_t bytes) {
    return std::string(name) + " [" + hex(start) + ", " + hex(start + bytes) + ")";
}

bool inside(const ByteInterval& interval, std::uint64_t start, std::uint64_t bytes) {
    return interval.low >= static_cast<std::int64_t>(start) &&
           interval.high <= static_cast<std::int64_t>(start + bytes);
}

[[gnu::cold, gnu::noinline]] Violation local_extent_violation(const TensorView& view,
                                                              const ByteInterval& interval,
                                                              const MachineShape& machine) {
    return {view.operand,
            interval_text(interval) + " of each lane (address " + hex(view.local_addr.value) + ")",
            "the tensor lies inside the " + hex(static_cast<std::uint64_t>(machine.local_bytes)) +
                " bytes of a lane's local memory",
            true};
}

[[gnu::cold, gnu::noinline]] Violation system_extent_violation(const TensorView& view,
                                                               const ByteInterval& interval,
                                                               const MachineShape& machine) {
    return {view.operand, interval_text(interval),
            "the tensor lies inside one system memory: " +
                region_text("global memory", machine.global_start, machine.global_bytes) + ", " +
                region_text("L2-SRAM", machine.l2_start, machine.l2_bytes) + " or " +
                region_text("DTCM", machine.dtcm_start, machine.dtcm_bytes),
            true};
}

[[gnu::cold, gnu::noinline]] Violation feature_violation(const InstructionInfo& info) {
    const FeatureInfo& feature = kFeatures[static_cast<std::size_t>(info.feature)];
    const std::string parameter = std::string("features.") + feature.key;
    return {.argument = parameter,
            .value = "false",
            .rule = std::string(info.name) + " needs a machine with the instruction group " +
                    feature.key + " (" + feature.meaning + "): " + parameter + " = true",
            .is_unsupported = true};
}

std::optional<Violation> check_extents(const Command& command, const MachineShape& machine) {
    for (const TensorView& view : tensor_views(command, machine)) {
        const ByteInterval interval = touched_bytes(view, machine);
        if (view.local) {
            if (interval.low < 0 || interval.high > machine.local_bytes) {
                return local_extent_violation(view, interval, machine);
            }
        } else if (!inside(interval, machine.global_start, machine.global_bytes) &&
                   !inside(interval, machine.l2_start, machine.l2_bytes) &&
                   !inside(interval, machine.dtcm_start, machine.dtcm_bytes)) {
            return system_extent_violation(view, interval, machine);
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Violation> check(const Command& command, const MachineShape& machine,
                               bool as_function) {
    const InstructionInfo* info = find_instruction(static_cast<std::uint16_t>(command.opcode));
    if (info == nullptr) {
        return Violation{"opcode", hex(static_cast<std::uint16_t>(command.opcode)),
                         "the opcode is in the instruction table"};
    }
    if (!has_feature(machine, info->feature)) return feature_violation(*info);
    OperandChecker operands(command, *info, machine, as_function);
    if (!operands.run()) return operands.take_violation();
    FormChecker forms(command, *info);
    if (!forms.run()) return forms.take_violation();
    return check_extents(command, machine);
}

}  // namespace okksim::isa
