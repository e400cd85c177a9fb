// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/energy_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace okksim::sim::trace {
namespace {

using models::energy::AreaReport;
using models::energy::Banded;
using models::energy::EnergyReport;

}  // namespace

std::pair<std::string, std::string> banded_text(const Banded& amount, std::string_view unit) {
    constexpr std::pair<double, const char*> kPrefixes[] = {
        {1, ""}, {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}};
    const auto* prefix = std::begin(kPrefixes);
    while (prefix + 1 != std::end(kPrefixes) && amount.value > 0 && amount.value < prefix->first) {
        ++prefix;
    }
    const Banded shown = amount.times(1 / prefix->first);
    return {fmt::format("{:.3g} {}{}", shown.value, prefix->second, unit),
            fmt::format("{:.3g} to {:.3g}", shown.low, shown.high)};
}

std::string in_unit(const Banded& amount, std::string_view unit) {
    const auto [value, band] = banded_text(amount, unit);
    return fmt::format("{} ({})", value, band);
}

namespace {

/// Returns rows of the components that are not zero, and of the total.
template <typename Components>
std::string table(const char* title, const char* unit, double scale, const Components& components,
                  const Banded& total) {
    const auto row = [&](const char* part, const char* name, const Banded& amount) {
        const double share = total.value > 0 ? 100 * amount.value / total.value : 0;
        const Banded shown = amount.times(scale);
        return fmt::format("  {:<7} {:<26} {:>11.4f} {:>11.4f} {:>11.4f} {:>6.1f}\n", part, name,
                           shown.value, shown.low, shown.high, share);
    };
    std::string text =
        fmt::format("  {:<34} {:>11} {:>11} {:>11} {:>6}\n", title, unit, "low", "high", "%");
    for (const auto& component : components) {
        if (component.amount.value > 0) {
            text += row(component.part, component.name, component.amount);
        }
    }
    return text + row("total", "", total);
}

nlohmann::ordered_json banded_json(const Banded& amount, const char* unit) {
    return {{unit, amount.value}, {"low", amount.low}, {"high", amount.high}};
}

template <typename Components>
nlohmann::ordered_json components_json(const Components& components, const char* unit) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const auto& component : components) {
        nlohmann::ordered_json entry{{"part", component.part}, {"name", component.name}};
        entry.update(banded_json(component.amount, unit));
        json.push_back(std::move(entry));
    }
    return json;
}

nlohmann::ordered_json counts_json(const models::energy::EventCounts& counts) {
    using models::energy::MemoryBytes;
    constexpr const char* kKinds[] = {
        "multiply_add", "fp32",   "divide",        "int32",
        "fixed16",      "fixed8", "int32_product", "half_multiply_add"};
    constexpr const char* kUnits[] = {"bdc", "gdma", "mcu"};
    constexpr const char* kMemories[] = {"local", "l2", "dtcm", "dram"};
    static_assert(std::size(kKinds) == models::energy::kOperationKinds &&
                  std::size(kUnits) == models::energy::kUnits &&
                  std::size(kMemories) == models::energy::kMemories);
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    json["operations"] = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < std::size(kKinds); ++i) {
        json["operations"][kKinds[i]] = counts.operations[i];
    }
    for (std::size_t unit = 0; unit < std::size(kUnits); ++unit) {
        const models::energy::Traffic& traffic = counts.traffic[unit];
        nlohmann::ordered_json& entry = json[kUnits[unit]] = nlohmann::ordered_json::object();
        entry["commands"] = counts.commands[unit];
        for (std::size_t i = 0; i < std::size(kMemories); ++i) {
            const MemoryBytes& bytes = traffic.memories[i];
            entry[fmt::format("{}_bytes_read", kMemories[i])] = bytes.read;
            entry[fmt::format("{}_bytes_written", kMemories[i])] = bytes.written;
        }
        entry["dram_rows"] = traffic.dram_rows;
    }
    json["processor_us"] = counts.processor_time.microseconds();
    return json;
}

}  // namespace

EnergyReport energy_of(const Account& account, const models::MachineParams& machine) {
    return models::energy::energy_of(account.event_counts(), account.span, machine);
}

std::string energy_text(const Account& account, const models::MachineParams& machine) {
    const EnergyReport energy = energy_of(account, machine);
    const AreaReport area = models::energy::area_of(machine);
    return fmt::format("energy {}, on average {}; area {:.3g} mm2 ({:.3g} to {:.3g})\n",
                       in_unit(energy.total_joules, "J"), in_unit(energy.watts(account.span), "W"),
                       area.total_mm2.value, area.total_mm2.low, area.total_mm2.high);
}

std::string energy_table(const Account& account, const models::MachineParams& machine) {
    constexpr double kMicrojoules = 1e6;
    const EnergyReport energy = energy_of(account, machine);
    return table("energy", "uJ", kMicrojoules, energy.components, energy.total_joules);
}

std::string area_table(const models::MachineParams& machine) {
    const AreaReport area = models::energy::area_of(machine);
    return table("area", "mm2", 1, area.components, area.total_mm2);
}

nlohmann::ordered_json joules_json(const Account& account, const models::MachineParams& machine) {
    return banded_json(energy_of(account, machine).total_joules, "joules");
}

nlohmann::ordered_json energy_json(const Account& account, const models::MachineParams& machine) {
    const EnergyReport energy = energy_of(account, machine);
    nlohmann::ordered_json json = banded_json(energy.total_joules, "joules");
    json["power"] = banded_json(energy.watts(account.span), "watts");
    json["parts"] = nlohmann::ordered_json::object();
    for (const auto& component : energy.components) {
        if (json["parts"].contains(component.part)) continue;
        json["parts"][component.part] = banded_json(energy.joules_of(component.part), "joules");
    }
    json["components"] = components_json(energy.components, "joules");
    json["events"] = counts_json(account.event_counts());
    return json;
}

nlohmann::ordered_json area_json(const models::MachineParams& machine) {
    const AreaReport area = models::energy::area_of(machine);
    nlohmann::ordered_json json = banded_json(area.total_mm2, "mm2");
    json["components"] = components_json(area.components, "mm2");
    return json;
}

std::string energy_column_names() { return ",energy_joules,energy_low_joules,energy_high_joules"; }

std::string energy_columns(const Account& account, const models::MachineParams& machine) {
    const Banded joules = energy_of(account, machine).total_joules;
    return fmt::format(",{:.9g},{:.9g},{:.9g}", joules.value, joules.low, joules.high);
}

}  // namespace okksim::sim::trace
