// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/types.h"
#include "kernels/conv/operand_store.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Addresses of a tiling's buffers in every lane. Weights come last: in separate banks if there is
/// room.
struct TilePlaces {
    local_addr_t input = 0;
    local_addr_t ring = 0;
    local_addr_t work = 0;
    local_addr_t operands = 0;  ///< of the epilogue
    local_addr_t scratch = 0;
    local_addr_t weights = 0;
};

/// Takes the buffers from the free part of `range`.
TilePlaces place_tiles(const Tiling& tiling, LocalRange& range);

/// Fraction of a weight tile's banks that the product shares with its input and sums: the mean over
/// the slots that tiles use in turn. Pure; for planners.
double shared_banks(const Tiling& tiling, const SumRule& rule, const TilePlaces& places,
                    const isa::MachineShape& machine);
/// The fraction for one product, with its weights at `weights` and everything else in the first
/// slots.
double shared_banks_at(local_addr_t weights, const Tiling& tiling, const SumRule& rule,
                       const TilePlaces& places, const isa::MachineShape& machine);

}  // namespace okksim::kernels::conv
