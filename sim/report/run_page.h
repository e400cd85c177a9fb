// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/execution/model_run.h"
#include "sim/trace/run_picture.h"

namespace okksim::sim::report {

/// Returns a run as one page that needs no network. It shows engines and local memory over time,
/// time by cause, roofline, energy and operators. The data of every plot can be copied. `picture`
/// has observed the run.
std::string run_page(const execution::ModelRun& run, const execution::ModelRunOptions& options,
                     const trace::RunPicture& picture);

}  // namespace okksim::sim::report
