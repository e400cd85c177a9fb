// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/fidelity/csv.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// What one more image of a batch costs on silicon, where launch and weights cancel, beside the sum
/// of the convolution laws of the network's layers.
struct BatchDifference {
    std::string network;
    int from = 0;  ///< images of the two measured batches
    int to = 0;
    double silicon_ms = 0;  ///< per further image
    double laws_ms = 0;

    double ratio() const { return silicon_ms / laws_ms; }
    bool met() const;
};

/// A published time beside what no machine with these laws can beat: its convolutions one after the
/// other with nothing between them, or its weights at the rate of memory, whichever takes longer.
struct LowerBound {
    std::string network;
    int batch = 0;
    double silicon_ms = 0;  ///< of the whole batch
    double compute_ms = 0;
    double weights_ms = 0;

    bool holds() const;
};

/// Bars of silicon's time for a further image over the sum of the laws.
inline constexpr double kLeastBatchRatio = 0.97;
inline constexpr double kMostBatchRatio = 1.10;

struct BatchReport {
    std::vector<BatchDifference> differences;
    std::vector<LowerBound> bounds;
    bool met() const;
};

/// Silicon's part, from networks.csv; what it does not hold is left out.
BatchReport read_batches(const std::filesystem::path& networks_csv);
/// Fills in the machine's part.
void price_batches(BatchReport& report, const models::MachineParams& machine);

}  // namespace okksim::sim::fidelity
