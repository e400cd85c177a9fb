// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/prim/lanes.h"
#include "kernels/prim/rescale.h"

/// What a layer on packed int8 maps computes with the commands of machines that have them.
namespace okksim::kernels::layers {

/// Whether int8 maps stay packed on a machine: convolutions that take and give bytes. Other layers
/// on them may need more groups (has_commands()).
constexpr bool has_native_layers(const isa::MachineShape& machine) {
    return isa::has_feature(machine, isa::Feature::kInt8Mac) &&
           isa::has_feature(machine, isa::Feature::kFusedRescale);
}

/// RESCALE, with the limits of the CLAMPs behind it.
struct NativeScale {
    std::vector<prim::ScaleFactor> factors;  ///< one, or one per channel
    bool rounds_twice = false;
    std::int32_t input_zero = 0;
    prim::ScaleOutput output;
};

enum class NativeKind : std::uint8_t {
    kSums,   ///< of a convolution, scaled: scales[0]
    kPair,   ///< scales[2] of the sum of scales[0] and scales[1] of two maps
    kTable,  ///< a byte by a byte
};

struct NativeProgram {
    NativeKind kind = NativeKind::kTable;
    std::vector<NativeScale> scales;
    std::int32_t input_zero = 0, weight_zero = 0;  ///< of a convolution
    std::array<std::int8_t, 256> table{};

    /// Factors per channel and tables are constants.
    std::uint64_t argument_words() const { return 4 + 7 * scales.size(); }
};

}  // namespace okksim::kernels::layers
