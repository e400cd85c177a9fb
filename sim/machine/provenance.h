// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/machine/machine.h"

/// What every report says of itself: the machine and what was changed of it, the program's version,
/// and the version of the report's own form (docs/REPORTS.md).
namespace okksim::sim {

/// Of all reports together; it grows when a key or column changes its meaning or goes away.
inline constexpr int kReportSchema = 1;

/// "0.1.0".
const char* okksim_version();

/// "stopped early: SIGINT came; ...": where a signal has, every report says so.
std::string stopped_text();
/// "machine bm1684 with bdc.clock_mhz=700 (hash ...), okksim 0.1.0"; behind it, stopped_text().
std::string provenance_text(const Machine& machine);
/// Sets "machine", "machine_hash", "overrides", "okksim_version" and "schema_version", and, when
/// a signal has come, "stopped".
void add_provenance(nlohmann::ordered_json& json, const Machine& machine);
/// Sets those behind "overrides": for reports that are about no machine.
void add_version(nlohmann::ordered_json& json);
/// The last columns of a table, each behind a comma; the same in every row.
std::string provenance_column_names();
std::string provenance_columns(const Machine& machine);

}  // namespace okksim::sim
