// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "firmware/host/device.h"
#include "isa/base/finding_repeats.h"

/// The form of faults, findings and launches in every JSON report.
namespace okksim::firmware::host {

/// Returns an object with all fields of the record and its message in one sentence; null for no
/// fault.
nlohmann::ordered_json fault_json(const std::optional<FaultRecord>& fault);
/// [{"kind", "message", "commands"}, ...]
nlohmann::ordered_json findings_json(const std::vector<Finding>& findings);
/// Adds "gdma_commands", "bdc_commands".
void add_counts(nlohmann::ordered_json& json, const isa::CommandCounts& counts);
/// Returns {"kernel", "simulated_us", "gdma_commands", "bdc_commands", "fault", "warnings"}. The
/// warnings are the findings that `repeats` has not reported yet; "launches" counts the launches
/// with the same finding.
nlohmann::ordered_json launch_json(const LaunchReport& report, FindingRepeats& repeats);

/// Counts the findings of all launches.
FindingRepeats repeats_of(const std::vector<LaunchReport>& reports);

/// Returns indented text. Bytes of names that are not UTF-8 are replaced.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace okksim::firmware::host
