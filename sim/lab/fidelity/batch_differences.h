// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/lab/fidelity/csv.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// The time of one additional image of a batch: on silicon, and as the sum of the convolution
/// formulas of the network's layers. In this difference, launch and weights cancel.
struct BatchDifference {
    std::string network;
    int from = 0;  ///< images in the two measured batches
    int to = 0;
    double silicon_ms = 0;  ///< per additional image
    double laws_ms = 0;

    double ratio() const { return silicon_ms / laws_ms; }
    bool met() const;
};

/// A published time and a lower bound for a machine with these formulas. The bound is the larger of
/// two times: all convolutions back to back, or all weights at the memory's rate.
struct LowerBound {
    std::string network;
    int batch = 0;
    double silicon_ms = 0;  ///< of the whole batch
    double compute_ms = 0;
    double weights_ms = 0;

    bool holds() const;
};

/// Target range of the ratio of silicon's time per additional image to the sum of the formulas.
inline constexpr double kLeastBatchRatio = 0.97;
inline constexpr double kMostBatchRatio = 1.10;

struct BatchReport {
    std::vector<BatchDifference> differences;
    std::vector<LowerBound> bounds;
    bool met() const;
};

/// Reads silicon's times from networks.csv; missing rows are left out.
BatchReport read_batches(const std::filesystem::path& networks_csv);
/// Fills in the machine's times.
void price_batches(BatchReport& report, const models::MachineParams& machine);

}  // namespace okksim::sim::fidelity
