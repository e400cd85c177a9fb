// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/okk.h"
#include "isa/features.h"
#include "isa/layout.h"
#include "isa/types.h"

namespace okksim::kernels {

/// How local memory takes tensors: channels go over the lanes, and in the aligned layout each of
/// them begins on a line, which is a vector of the machine.
struct Lanes {
    int count = 1;
    std::int16_t line_words = 1;
    /// Groups of instructions beyond the API reference, as bits of isa::Feature.
    std::uint16_t features = 0;

    constexpr bool has(isa::Feature group) const {
        return (features & isa::feature_bit(group)) != 0;
    }
    constexpr int line_bytes() const { return line_words * isa::kWordBytes; }
    /// Words or bytes of a channel, up to the next line.
    constexpr std::int64_t whole_lines(std::int64_t words) const {
        return isa::align_up(words, line_words);
    }
    constexpr std::int64_t whole_line_bytes(std::int64_t bytes) const {
        return isa::align_up(bytes, line_bytes());
    }
    /// Channel slots that so many channels take in every lane.
    constexpr std::int64_t slots(std::int64_t channels) const {
        return isa::div_up(channels, count);
    }
};

/// Those of a machine that is planned for.
constexpr Lanes lanes_of(const isa::MachineShape& machine) {
    return {machine.lanes, static_cast<std::int16_t>(machine.vector_words),
            static_cast<std::uint16_t>(machine.features)};
}

/// Firmware: those of the chip that it runs on, whatever groups of instructions it has.
inline Lanes chip_lanes() { return {okk_npu_num(), static_cast<std::int16_t>(okk_eu_num())}; }

}  // namespace okksim::kernels
