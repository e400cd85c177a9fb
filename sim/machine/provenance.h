// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/machine/machine.h"

/// The provenance in every report: machine and overrides, program version, and version of the
/// report schema (docs/reference/reports.md).
namespace okksim::sim {

/// Common to all reports. It is incremented when a key or column changes its meaning or is removed.
inline constexpr int kReportSchema = 2;

/// Returns "0.1.0".
const char* okksim_version();
/// Returns "okksim 0.1.0, report schema 2", for texts about no machine or several.
std::string version_text();

/// Returns "stopped early: SIGINT came; ..." after a signal. Every report then contains it.
std::string stopped_text();
/// Returns "machine bm1684 with bdc.clock_mhz=700 (hash ...)".
std::string machine_text(const Machine& machine);
/// Returns machine_text() and version_text(), followed by stopped_text().
std::string provenance_text(const Machine& machine);
/// Sets "machine", "machine_hash" and "overrides".
void add_machine(nlohmann::ordered_json& json, const Machine& machine);
/// Calls add_machine() and add_version().
void add_provenance(nlohmann::ordered_json& json, const Machine& machine);
/// Sets "okksim_version", "schema_version" and, after a signal, "stopped". Reports about no
/// machine, or about several, only call this function.
void add_version(nlohmann::ordered_json& json);
/// Returns the machine's label as a table cell that needs no quotes.
std::string machine_cell(const Machine& machine);
/// Return the last columns of a table, each after a comma. They are equal in all rows.
std::string provenance_column_names();
std::string provenance_columns(const Machine& machine);

}  // namespace okksim::sim
