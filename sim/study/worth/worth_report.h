// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/study/worth/study_run.h"

namespace okksim::sim::worth {

/// Returns tables and sentences as text.
std::string worth_text(const MachineStudy& study, const std::vector<NetworkWorth>& networks);
/// Returns all results; README.md lists the keys.
nlohmann::ordered_json worth_json(const MachineStudy& study,
                                  const std::vector<NetworkWorth>& networks);
/// Returns a row for every network and point.
std::string worth_csv(const MachineStudy& study, const std::vector<NetworkWorth>& networks);
/// Returns a self-contained page that needs no network.
std::string worth_page(const MachineStudy& study, const std::vector<NetworkWorth>& networks);

}  // namespace okksim::sim::worth
