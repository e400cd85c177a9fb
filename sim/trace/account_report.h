// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// Whether the firmware was charged for computing of its own; what it does not tell of
/// (firmware/okk_access.h) takes no time.
bool computing_timed(const Account& account);

/// Forms of an account for reports: a table, an object, rows
/// "launch,name,engine,cause,class,us,percent" and where they come from.
std::string account_text(const Account& account);
nlohmann::ordered_json account_json(const Account& account);
std::string account_csv(const std::vector<Account>& accounts, const Machine& machine);

/// Columns of a table with one account per row, each behind a comma: ",gdma_busy_us", ..., and the
/// microseconds.
std::string account_column_names(const EngineList& engines);
std::string account_columns(const Account& account);
/// Text as a field of CSV, quoted when it has to be.
std::string csv_field(std::string_view text);

}  // namespace okksim::sim::trace
