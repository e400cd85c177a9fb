// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/fidelity/network_figure.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// Runs the networks of the zoo that networks.csv has times for, in fp32 and int8, one image,
/// without data, in `jobs` processes. Networks without a measured time are left out.
/// `progress(done, all)` is called after each.
std::vector<NetworkFigure> run_networks(
    const std::filesystem::path& networks_csv, const Machine& machine, int jobs,
    const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::fidelity
