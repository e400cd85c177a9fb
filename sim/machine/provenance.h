// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/machine/machine.h"

/// What every report says of itself: the machine and what was changed of it, the program's version,
/// and the version of the report's own form (docs/reference/reports.md).
namespace okksim::sim {

/// Of all reports together; it grows when a key or column changes its meaning or goes away.
inline constexpr int kReportSchema = 1;

/// "0.1.0".
const char* okksim_version();
/// "okksim 0.1.0, report schema 1": for texts that are about no machine, or about several.
std::string version_text();

/// "stopped early: SIGINT came; ...": where a signal has, every report says so.
std::string stopped_text();
/// "machine bm1684 with bdc.clock_mhz=700 (hash ...)".
std::string machine_text(const Machine& machine);
/// machine_text() and version_text(); behind them, stopped_text().
std::string provenance_text(const Machine& machine);
/// Sets "machine", "machine_hash" and "overrides".
void add_machine(nlohmann::ordered_json& json, const Machine& machine);
/// add_machine() and add_version().
void add_provenance(nlohmann::ordered_json& json, const Machine& machine);
/// Sets "okksim_version" and "schema_version", and, when a signal has come, "stopped": by itself
/// for reports that are about no machine, or about several.
void add_version(nlohmann::ordered_json& json);
/// The machine's label as a cell of a table that needs no quotes.
std::string machine_cell(const Machine& machine);
/// The last columns of a table, each behind a comma; the same in every row.
std::string provenance_column_names();
std::string provenance_columns(const Machine& machine);

}  // namespace okksim::sim
