// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/energy/energy.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// Energy of what an account is of, in its span.
models::energy::EnergyReport energy_of(const Account& account,
                                       const models::MachineParams& machine);

/// "12.3 mJ (8.1 to 19)": all three in the unit of the first.
std::string in_unit(const models::energy::Banded& amount, std::string_view unit);
/// "energy 12.3 mJ (8.1 to 19), 8.6 W (5.7 to 13); area 66 mm2 (41 to 107)": a line.
std::string energy_text(const Account& account, const models::MachineParams& machine);
/// Joules by component, with band and share: a table.
std::string energy_table(const Account& account, const models::MachineParams& machine);
/// mm2 by component, with band and share: a table.
std::string area_table(const models::MachineParams& machine);

/// Total, mean power, components, parts and the counts that they were worked out from.
nlohmann::ordered_json energy_json(const Account& account, const models::MachineParams& machine);
/// The total alone.
nlohmann::ordered_json joules_json(const Account& account, const models::MachineParams& machine);
nlohmann::ordered_json area_json(const models::MachineParams& machine);

/// Columns of a table with one account per row, each behind a comma.
std::string energy_column_names();
std::string energy_columns(const Account& account, const models::MachineParams& machine);

}  // namespace okksim::sim::trace
