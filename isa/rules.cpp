// SPDX-License-Identifier: Apache-2.0
#include "isa/rules.h"

#include <array>
#include <string>
#include <vector>

#include "isa/base/hex.h"
#include "isa/form_rules.h"
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

std::string region_text(const std::string& name, const MemoryRegion& region) {
    return name + " [" + hex(region.start) + ", " + hex(region.start + region.bytes) + ")";
}

/// Returns "global memory [...), L2-SRAM [...) or DTCM [...)": every system memory of the machine.
std::string memories_text(const MachineShape& machine) {
    const std::array<const char*, 3> names{"global memory", "L2-SRAM", "DTCM"};
    const std::vector<MemoryRegion> memories = machine.memories();
    std::string text;
    for (std::size_t i = 0; i < memories.size(); ++i) {
        if (i > 0) text += i + 1 == memories.size() ? " or " : ", ";
        text += region_text(i < names.size() ? names[i] : "memory", memories[i]);
    }
    return text;
}

[[gnu::cold, gnu::noinline]] Violation local_extent_violation(const TensorView& view,
                                                              const ByteInterval& interval,
                                                              const MachineShape& machine) {
    return {view.operand,
            interval_text(interval) + " of each lane (address " + hex(view.local_addr.value) + ")",
            "the tensor must be inside the " +
                hex(static_cast<std::uint64_t>(machine.local_bytes)) +
                " bytes of a lane's local memory",
            true};
}

[[gnu::cold, gnu::noinline]] Violation system_extent_violation(const TensorView& view,
                                                               const ByteInterval& interval,
                                                               const MachineShape& machine) {
    return {view.operand, interval_text(interval),
            "the tensor must be inside one system memory: " + memories_text(machine), true};
}

[[gnu::cold, gnu::noinline]] Violation feature_violation(const InstructionInfo& info,
                                                         const FeatureInfo& feature) {
    const std::string parameter = std::string("features.") + feature.key;
    const std::string uses = feature.feature == Feature::kFusedRescale ? " with rescales = true"
                             : feature.feature == Feature::kInt16Mac
                                 ? " with input_type = OKK_INT16"
                                 : "";
    return {.argument = parameter,
            .value = "false",
            .rule = std::string(info.name) + uses + " needs a machine with the instruction group " +
                    feature.key + " (" + feature.meaning + "): " + parameter + " = true",
            .is_unsupported = true};
}

/// True if the command scales its sums before it stores them.
bool rescales(const Command& command) {
    return visit_operands(command, [](const auto& form) {
        if constexpr (requires { form.rescales; }) return form.rescales != 0;
        return false;
    });
}

/// True if the command sums products of 16-bit and 8-bit values over channels or windows. Pools
/// multiply nothing.
bool multiplies_16_bits(const Command& command) {
    return visit_operands(command, [](const auto& form) {
        if constexpr (requires { form.weight_addr, form.input_type; }) {
            return form.input_type == ElementType::kInt16;
        }
        return false;
    });
}

std::optional<Violation> check_extents(const Command& command, const MachineShape& machine) {
    for (const TensorView& view : tensor_views(command, machine)) {
        const ByteInterval interval = touched_bytes(view, machine);
        if (view.local) {
            if (interval.low < 0 || interval.high > machine.local_bytes) {
                return local_extent_violation(view, interval, machine);
            }
        } else if (interval.low < 0 ||
                   !machine.in_one_memory(static_cast<std::uint64_t>(interval.low),
                                          static_cast<std::uint64_t>(interval.high) -
                                              static_cast<std::uint64_t>(interval.low))) {
            return system_extent_violation(view, interval, machine);
        }
    }
    return std::nullopt;
}

}  // namespace

std::uint32_t features_of(const Command& command) {
    const Feature feature = command.info().feature;
    std::uint32_t features = feature_bit(feature);
    if (feature != Feature::kInt8Mac) return features;
    if (rescales(command)) features |= feature_bit(Feature::kFusedRescale);
    if (multiplies_16_bits(command)) features |= feature_bit(Feature::kInt16Mac);
    return features;
}

std::optional<Violation> check_feature(const Command& command, const MachineShape& machine) {
    const InstructionInfo& info = command.info();
    if (!has_feature(machine, info.feature)) {
        return feature_violation(info, feature_info(info.feature));
    }
    if (info.feature != Feature::kInt8Mac) return std::nullopt;
    const std::uint32_t lacking = features_of(command) & ~machine.features;
    for (const Feature part : {Feature::kFusedRescale, Feature::kInt16Mac}) {
        if ((lacking & feature_bit(part)) != 0) return feature_violation(info, feature_info(part));
    }
    return std::nullopt;
}

std::optional<Violation> check(const Command& command, const MachineShape& machine,
                               bool as_function, SizeLimits& limits) {
    const InstructionInfo* info = find_instruction(static_cast<std::uint16_t>(command.opcode));
    if (info == nullptr) {
        return Violation{"opcode", hex(static_cast<std::uint16_t>(command.opcode)),
                         "the opcode is in the instruction table"};
    }
    if (auto violation = check_feature(command, machine)) return violation;
    OperandChecker operands(command, *info, machine, as_function, limits);
    if (!operands.run()) return operands.take_violation();
    FormChecker forms(command, *info, limits);
    if (!forms.run()) return forms.take_violation();
    return check_extents(command, machine);
}

}  // namespace okksim::isa
