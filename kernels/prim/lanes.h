// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/okk.h"
#include "isa/features.h"
#include "isa/layout.h"
#include "isa/types.h"

namespace okksim::kernels {

/// Layout of tensors in local memory. Channels are distributed over the lanes. In the aligned
/// layout each channel begins on a line, which is a vector of the machine.
struct Lanes {
    int count = 1;
    std::int16_t line_words = 1;
    /// ISA extensions beyond the API reference, as bits of isa::Feature.
    std::uint16_t features = 0;

    constexpr bool has(isa::Feature group) const {
        return (features & isa::feature_bit(group)) != 0;
    }
    constexpr int line_bytes() const { return line_words * isa::kWordBytes; }
    /// Words or bytes of a channel, rounded up to whole lines.
    constexpr std::int64_t whole_lines(std::int64_t words) const {
        return isa::align_up(words, line_words);
    }
    constexpr std::int64_t whole_line_bytes(std::int64_t bytes) const {
        return isa::align_up(bytes, line_bytes());
    }
    /// Channel slots per lane for `channels` channels.
    constexpr std::int64_t slots(std::int64_t channels) const {
        return isa::div_up(channels, count);
    }
};

/// Lanes of the machine that is planned for.
constexpr Lanes lanes_of(const isa::MachineShape& machine) {
    return {machine.lanes, static_cast<std::int16_t>(machine.vector_words),
            static_cast<std::uint16_t>(machine.features)};
}

/// Firmware: lanes of the chip that it runs on, without ISA extensions.
inline Lanes chip_lanes() { return {okk_npu_num(), static_cast<std::int16_t>(okk_eu_num())}; }

}  // namespace okksim::kernels
