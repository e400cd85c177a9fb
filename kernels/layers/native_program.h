// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/prim/lanes.h"
#include "kernels/prim/rescale.h"

/// Functions of layers on packed int8 feature maps, for machines with commands on bytes.
namespace okksim::kernels::layers {

/// True if int8 feature maps stay packed on a machine: its convolutions read and write bytes. Other
/// layers on them may need more instruction groups (has_commands()).
constexpr bool has_native_layers(const isa::MachineShape& machine) {
    return isa::has_feature(machine, isa::Feature::kInt8Mac) &&
           isa::has_feature(machine, isa::Feature::kFusedRescale);
}

/// RESCALE, with the limits of the CLAMPs after it.
struct NativeScale {
    std::vector<prim::ScaleFactor> factors;  ///< one, or one per channel
    bool rounds_twice = false;
    std::int32_t input_zero = 0;
    prim::ScaleOutput output;
};

enum class NativeKind : std::uint8_t {
    kSums,  ///< of a convolution, scaled: scales[0]
    kPair,  ///< scales[2] of the sum of scales[0] and scales[1] of two inputs
    /// The last scale of the product of two inputs. With three scales, the first two are those of
    /// the inputs.
    kProduct,
    kTable,  ///< a function of one byte
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
