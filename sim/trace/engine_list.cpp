// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/engine_list.h"

#include <algorithm>
#include <cctype>

#include "models/chip/machine_units.h"

namespace okksim::sim::trace {

EngineList::EngineList(const models::MachineParams& machine) {
    for (models::EngineEntry& entry : models::engine_entries(machine)) {
        std::transform(entry.name.begin(), entry.name.end(), entry.name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
        by_kind_[static_cast<std::size_t>(entry.kind)].push_back(engines_.size());
        engines_.push_back({std::move(entry.name), entry.kind});
    }
    engines_.push_back({"MCU", std::nullopt});
}

std::string column_name(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return c == ' ' ? '_' : static_cast<char>(std::tolower(c));
    });
    return text;
}

}  // namespace okksim::sim::trace
