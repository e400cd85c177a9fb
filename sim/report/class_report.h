// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/execution/best_classes.h"

namespace okksim::sim::report {

/// Returns a table per output: rank, probability, value, number and label of each class.
std::string class_text(const std::vector<execution::ClassTable>& tables);
nlohmann::ordered_json class_json(const std::vector<execution::ClassTable>& tables);

}  // namespace okksim::sim::report
