// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "models/energy/energy.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// Returns the energy of the account's work during its span.
models::energy::EnergyReport energy_of(const Account& account,
                                       const models::MachineParams& machine);

/// Returns value and band with the prefix that suits the value: "12.3 mJ", "8.1 to 19".
std::pair<std::string, std::string> banded_text(const models::energy::Banded& amount,
                                                std::string_view unit);
/// Returns both, e.g. "12.3 mJ (8.1 to 19)".
std::string in_unit(const models::energy::Banded& amount, std::string_view unit);
/// Returns one line, e.g. "energy 12.3 mJ (8.1 to 19), 8.6 W (5.7 to 13); area 66 mm2 (41 to 107)".
std::string energy_text(const Account& account, const models::MachineParams& machine);
/// Returns a table of the energy by component, with band and share.
std::string energy_table(const Account& account, const models::MachineParams& machine);
/// Returns a table of the area in mm2 by component, with band and share.
std::string area_table(const models::MachineParams& machine);

/// Returns total energy, mean power, components, their parts, and the event counts.
nlohmann::ordered_json energy_json(const Account& account, const models::MachineParams& machine);
/// Returns only the total energy.
nlohmann::ordered_json joules_json(const Account& account, const models::MachineParams& machine);
nlohmann::ordered_json area_json(const models::MachineParams& machine);

/// Column names and values of a table with one account per row; a comma precedes each column.
std::string energy_column_names();
std::string energy_columns(const Account& account, const models::MachineParams& machine);

}  // namespace okksim::sim::trace
