// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/conv/operand_store.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"

/// Rounds of output channels: bias and constants of all channels of a round are in local memory
/// together with the tiles.
namespace okksim::kernels::conv {

/// Output channels [first, first + count) of a problem as a separate problem.
Problem channels_of(const Problem& problem, std::int32_t first, std::int32_t count);

/// Local memory of a problem whose output channels all fit: bias and the epilogue's constants
/// first, then the tiles.
struct Room {
    LocalRange range;
    local_addr_t bias = 0;
    local_addr_t epilogue = 0;
    Machine machine;
};
Room room_for(const Problem& problem, const SumRule& rule, const Lanes& lanes,
              std::uint32_t local_bytes);

}  // namespace okksim::kernels::conv
