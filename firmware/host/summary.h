// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/host/launch_history.h"

namespace okksim::firmware::host {

/// Returns a line per launch, a line per kernel for launches whose reports are not kept, the
/// totals, and the machine.
std::string summary_text(const LaunchHistory& history, const Provenance& origin);
/// Returns the summary as a JSON document: {"launches": [...], "totals": {...}, ...}.
std::string summary_json(const LaunchHistory& history, const Provenance& origin);

/// Returns a text about the time in which pointer accesses were not seen: "own loads and stores
/// through pointers ..., in KERNELS". It gives the time, the meaning and the remedy. `raise` names
/// the setting that raises the limit. The text is empty if all accesses were seen.
std::string unseen_text(const LaunchHistory& history, std::string_view raise);
/// In host programs.
inline constexpr std::string_view kRaiseHere = "OKKSIM_POINTER_SHARE=1";

/// Writes the summary to standard error (empty path) or a file, as JSON when its name ends in
/// ".json". False when the file cannot be written.
bool write_summary(const LaunchHistory& history, const Provenance& origin, const std::string& path);

}  // namespace okksim::firmware::host
