// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/execution/model_run.h"
#include "sim/trace/run_picture.h"

namespace okksim::sim::report {

/// A run as one page that needs no network: engines and local memory over time, time by cause,
/// roofline, energy, operators; the data of every figure to copy. `picture` has watched the run.
std::string run_page(const execution::ModelRun& run, const execution::ModelRunOptions& options,
                     const trace::RunPicture& picture);

}  // namespace okksim::sim::report
