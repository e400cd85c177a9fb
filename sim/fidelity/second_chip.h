// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// How far the transfers of one kind are from the record, each by itself.
struct TransferFigures {
    std::string kind;  ///< "TDMA Tensor Load"
    std::size_t count = 0;
    double median = 0;  ///< of |simulated / recorded - 1| of a command's time
    double p90 = 0;
    double bias = 0;          ///< median of simulated / recorded - 1
    std::size_t shapes = 0;   ///< how many of the transfers differ in shape or strides
    double shape_median = 0;  ///< of the shapes' median errors: each counts once
    bool judged = false;
};

/// Recorded transfers of another chip on a machine that describes its memory and data mover. The
/// record is partial: commands of the compute engine have no shapes and keep their recorded time,
/// compressed transfers do not say how far they were compressed.
struct SecondChipReport {
    std::string machine;
    std::vector<TransferFigures> kinds;  ///< in alphabetical order
    TransferFigures all;
    double recorded_cycles = 0;  ///< of the whole record, from its first command to its last
    double simulated_cycles = 0;
    bool met() const;
};

/// Bar of the median error of uncompressed loads.
inline constexpr double kTransferBar = 0.05;

/// Replays a file like cv1835_resnet50.csv in order with its waits. ConfigError when the file is
/// malformed or holds no commands.
SecondChipReport replay_second_chip(const std::filesystem::path& path, const Machine& machine);

}  // namespace okksim::sim::fidelity
