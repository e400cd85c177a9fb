// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// True if the account contains computing time of the control processor. Computation that firmware
/// does not report (firmware/okk_access.h) takes no time.
bool computing_timed(const Account& account);

/// Formats an account as a table, a JSON object, or CSV. The CSV has rows
/// "launch,name,engine,cause,class,us,percent" and the provenance.
std::string account_text(const Account& account);
nlohmann::ordered_json account_json(const Account& account);
std::string account_csv(const std::vector<Account>& accounts, const Machine& machine);

/// Column names and microseconds of a table with one account per row. A comma precedes each column:
/// ",gdma_busy_us", ...
std::string account_column_names(const EngineList& engines);
std::string account_columns(const Account& account);
/// Returns the text as a CSV field, quoted if necessary.
std::string csv_field(std::string_view text);

}  // namespace okksim::sim::trace
