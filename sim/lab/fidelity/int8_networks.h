// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "sim/lab/fidelity/int8_figure.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// Runs the zoo's int8 networks that have a time in networks.csv, in `jobs` processes.
/// `progress(done, all)` is called after each.
Int8Report run_int8_networks(const std::filesystem::path& networks_csv, const Machine& machine,
                             int jobs,
                             const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::fidelity
