// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/emulated_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/tosa/operator_row.h"
#include "models/chip/feature_params.h"
#include "models/chip/machine_params.h"
#include "sim/graph/operator_walk.h"

namespace okksim::sim::planning {
namespace {

using isa::Feature;

/// The machine and the issue of commands whose int8 networks were compared with the chip's times
/// (`okksim fidelity`, g).
constexpr const char* kMeasuredMachine = "bm1684-int8";
constexpr const char* kMeasuredIssue = "mcu.issue=lists";

/// Returns the instructions that multiply elements of a type; nothing for fp32 and for types that
/// no machine multiplies.
std::optional<Feature> feature_of(tosa::DType type) {
    switch (type) {
        case tosa::DType::kI8: return Feature::kInt8Mac;
        case tosa::DType::kI16: return Feature::kInt16Mac;
        case tosa::DType::kFp16:
        case tosa::DType::kBf16: return Feature::kHalfMac;
        default: return std::nullopt;
    }
}

bool has(const models::MachineParams& params, Feature feature) {
    return (params.features->present() & isa::feature_bit(feature)) != 0;
}

}  // namespace

std::vector<EmulatedType> emulated_types(const graph::Graph& graph, const Machine& machine) {
    std::map<tosa::DType, std::size_t> counts;
    graph::for_each_operator(graph, [&](const graph::Block& block, const graph::Operator& op) {
        if (tosa::multiplies_and_adds(tosa::operator_row(op.op).work)) {
            ++counts[block.input(op, 0).type];
        }
    });
    std::vector<EmulatedType> found;
    for (const auto& [type, operators] : counts) {
        const auto feature = feature_of(type);
        if (feature && !has(machine.params, *feature)) found.push_back({type, *feature, operators});
    }
    return found;
}

std::string MachineChange::flags() const {
    std::string text = name.empty() ? "" : "--machine " + name;
    for (const std::string& setting : settings)
        text += (text.empty() ? "--set " : " --set ") + setting;
    return text;
}

std::optional<MachineChange> native_machine(const std::vector<EmulatedType>& types,
                                            const Machine& machine) {
    std::optional<MachineChange> found;
    if (types.empty()) return found;
    for (const std::string& name : builtin_machines()) {
        const models::MachineParams params = load_machine(name).params;
        const auto is_native = [&](const EmulatedType& type) { return has(params, type.missing); };
        if (!std::ranges::all_of(types, is_native)) continue;
        const bool is_derived = name.starts_with(machine.name);
        if (!found || is_derived) found = MachineChange{name, {}};
        if (is_derived) break;
    }
    if (found && found->name == kMeasuredMachine) found->settings = {kMeasuredIssue};
    return found;
}

std::string emulation_text(const std::vector<EmulatedType>& types, const Machine& machine) {
    std::string text;
    for (const EmulatedType& each : types) {
        const auto native = native_machine({each}, machine);
        const std::string flags = native ? "; use " + native->flags() : "";
        text += fmt::format(
            "The machine {} has no products of {} (features.{}), and emulates {} operator{} with "
            "fp32 instructions, which takes longer{}.\n",
            machine.name, tosa::dtype_name(each.type), isa::feature_info(each.missing).key,
            each.operators, each.operators == 1 ? "" : "s", flags);
    }
    return text;
}

nlohmann::ordered_json emulation_json(const std::vector<EmulatedType>& types) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const EmulatedType& each : types) {
        json.push_back({{"type", tosa::dtype_name(each.type)},
                        {"missing", isa::feature_info(each.missing).key},
                        {"operators", each.operators}});
    }
    return json;
}

}  // namespace okksim::sim::planning
