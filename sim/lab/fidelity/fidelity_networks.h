// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/lab/fidelity/network_figure.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// Runs the zoo's networks that have a time in networks.csv, in fp32 and int8. Runs have one image,
/// no data, and use `jobs` processes. Networks without a measured time are left out.
/// `progress(done, all)` is called after each.
std::vector<NetworkFigure> run_networks(
    const std::filesystem::path& networks_csv, const Machine& machine, int jobs,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::fidelity
