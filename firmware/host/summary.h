// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/host/device.h"

namespace okksim::firmware::host {

/// One line per launch and the totals, for people, and what they were measured on.
std::string summary_text(const std::vector<LaunchReport>& reports, const Provenance& origin);
/// The same as a JSON document: {"launches": [...], "totals": {...}, ...}.
std::string summary_json(const std::vector<LaunchReport>& reports, const Provenance& origin);

/// "own loads and stores through pointers ..., in KERNELS": for how long nobody has seen them, what
/// that means, and what to do; `raise`: what has them seen for longer. Nothing when all were seen.
std::string unseen_text(const std::vector<LaunchReport>& reports, std::string_view raise);
/// In host programs.
inline constexpr std::string_view kRaiseHere = "OKKSIM_POINTER_SHARE=1";

/// Writes the summary to standard error (empty path) or a file, as JSON when its name ends in
/// ".json". False when the file cannot be written.
bool write_summary(const std::vector<LaunchReport>& reports, const Provenance& origin,
                   const std::string& path);

}  // namespace okksim::firmware::host
