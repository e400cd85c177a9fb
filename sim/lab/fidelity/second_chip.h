// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// Errors of the transfers of one kind. Each transfer is timed on an idle machine and compared with
/// the record.
struct TransferFigures {
    std::string kind;  ///< "TDMA Tensor Load"
    std::size_t count = 0;
    double median = 0;  ///< of |simulated / recorded - 1| of a command's time
    double p90 = 0;
    double bias = 0;          ///< median of simulated / recorded - 1
    std::size_t shapes = 0;   ///< number of different combinations of shape and strides
    double shape_median = 0;  ///< median over shapes of their median errors
    bool judged = false;
};

/// Recorded transfers of another chip, replayed on a machine with that chip's memory and DMA
/// engine. The record is partial. Commands of the compute engine have no shapes, so they keep their
/// recorded time. Compressed transfers lack their compression ratio.
struct SecondChipReport {
    std::string machine;
    std::vector<TransferFigures> kinds;  ///< in alphabetical order
    TransferFigures all;
    double recorded_cycles = 0;  ///< of the whole record, from first to last command
    double simulated_cycles = 0;
    bool met() const;
};

/// Target of the median error of uncompressed loads.
inline constexpr double kTransferBar = 0.05;

/// Replays a file such as cv1835_resnet50.csv in order with its waits. Throws ConfigError if the
/// file is malformed or has no commands.
SecondChipReport replay_second_chip(const std::filesystem::path& path, const Machine& machine);

}  // namespace okksim::sim::fidelity
