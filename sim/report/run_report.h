// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/execution/model_run.h"

namespace okksim::sim::report {

using execution::ModelRun;
using execution::ModelRunOptions;

/// Returns a run as text: a line per operator, totals by operator kind, memory, findings, verdicts.
std::string run_text(const ModelRun& run, const ModelRunOptions& options);
/// Returns a run as a JSON document.
nlohmann::ordered_json run_json(const ModelRun& run, const ModelRunOptions& options);

}  // namespace okksim::sim::report
