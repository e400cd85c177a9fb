// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/mcu/mcu_params.h"
#include "sim/fidelity/csv.h"
#include "sim/machine/machine.h"
#include "sim/zoo/zoo.h"

namespace okksim::sim::fidelity {

/// A network of the zoo, and how the names of the same network in networks.csv begin.
struct PublishedNetwork {
    const char* network;
    const char* model;
    zoo::Precision precision = zoo::Precision::kFp32;
    int batch = 1;
};

/// As networks.csv names it.
std::string precision_name(zoo::Precision precision);

/// Published times in ms of one image on BM1684, measured around launch, run and sync.
std::vector<double> published_ms(const CsvTable& table, const PublishedNetwork& network);

/// Simulated ms of a launch without data, with the host's launch and sync.
double simulated_ms(const PublishedNetwork& network, Machine machine, models::CommandIssue issue);

}  // namespace okksim::sim::fidelity
