// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/prim/lanes.h"
#include "kernels/prim/rescale.h"

/// What a layer on packed int8 maps computes with the commands of machines that have them: groups
/// int8_mac, fused_rescale, requantise, int_alu and lookup.
namespace okksim::kernels::layers {

/// Whether a machine has the groups that layers on packed maps take.
constexpr bool has_native_layers(const isa::MachineShape& machine) {
    using enum isa::Feature;
    for (const isa::Feature group : {kInt8Mac, kFusedRescale, kRequantise, kIntAlu, kLookup}) {
        if (!isa::has_feature(machine, group)) return false;
    }
    return isa::has_feature(machine, kConvert);
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
