// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/tosa/tosa_types.h"
#include "models/chip/machine_params.h"
#include "sim/bound/axis_cuts.h"

/// Lower bounds of a compute engine's cycles for windows, by the cost models of its commands. Any
/// plan cuts outputs and channels into pieces. No cost model gives less for the pieces than for the
/// whole: models/bdc/bdc_laws.h rounds up channel slots, groups of pixels and passes over channels.
namespace okksim::sim::bound {

/// Sums over windows and input channels.
struct WindowSums {
    std::int64_t images = 1;
    std::int64_t inputs = 1;   ///< input channels
    std::int64_t outputs = 1;  ///< output channels
    WindowSpan rows, columns;
    tosa::DType type = tosa::DType::kFp32;  ///< type of the factors
    bool operator==(const WindowSums&) const = default;
};
inline bool is_one_tap(const WindowSums& sums) {
    return sums.rows.taps == 1 && sums.columns.taps == 1;
}

std::int64_t convolution_cycles(const WindowSums& sums, const models::MachineParams& machine);

/// Returns the cycles of separate channels: `outputs` channels, each with one input. Ignores
/// `inputs`.
std::int64_t depthwise_cycles(const WindowSums& sums, const models::MachineParams& machine);

/// Returns the cycles of means of windows of words with the commands of pools.
std::int64_t pool_cycles(const WindowSums& sums, const models::MachineParams& machine);

/// Element-wise combinations that fold the windows of every channel, one axis after the other.
struct FoldNeed {
    std::int64_t commands = 0;
    std::int64_t cycles = 0;
};
FoldNeed fold_need(const WindowSums& sums, const models::MachineParams& machine);

/// Lower bound of the vectors that `elements` elements fill in all lanes.
std::int64_t least_vectors(std::int64_t elements, const models::MachineParams& machine);

}  // namespace okksim::sim::bound
