// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/types.h"
#include "kernels/conv/operand_store.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Where a tiling's buffers lie in every lane. Weights come last: in banks of their own where there
/// is room.
struct TilePlaces {
    local_addr_t input = 0;
    local_addr_t ring = 0;
    local_addr_t work = 0;
    local_addr_t operands = 0;  ///< of the epilogue
    local_addr_t scratch = 0;
    local_addr_t weights = 0;
};

/// Takes the buffers from `range`, behind what is there already.
TilePlaces place_tiles(const Tiling& tiling, LocalRange& range);

/// The part of a weight tile's banks that the input and the sums of the same product lie in too:
/// the mean over the slots that tiles take turns in. Pure; for planners.
double shared_banks(const Tiling& tiling, const SumRule& rule, const TilePlaces& places,
                    const isa::MachineShape& machine);
/// The same of one product, with its weights at `weights` and everything else in the first slots.
double shared_banks_at(local_addr_t weights, const Tiling& tiling, const SumRule& rule,
                       const TilePlaces& places, const isa::MachineShape& machine);

}  // namespace okksim::kernels::conv
