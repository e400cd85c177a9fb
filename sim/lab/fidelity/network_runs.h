// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/lab/fidelity/csv.h"
#include "sim/machine/machine.h"
#include "sim/zoo/zoo.h"

namespace okksim::models {
enum class CommandIssue : std::uint8_t;
}  // namespace okksim::models

namespace okksim::sim::fidelity {

/// A network of the zoo and the prefix of its names in networks.csv.
struct PublishedNetwork {
    const char* network;
    const char* model;
    zoo::Precision precision = zoo::Precision::kFp32;
    int batch = 1;
};

/// Returns the precision's name in networks.csv.
std::string precision_name(zoo::Precision precision);

/// Returns the published ms of one image on BM1684, including launch and sync.
std::vector<double> published_ms(const CsvTable& table, const PublishedNetwork& network);

/// Returns the simulated ms of a launch without data, including the host's launch and sync.
double simulated_ms(const PublishedNetwork& network, Machine machine, models::CommandIssue issue);

}  // namespace okksim::sim::fidelity
