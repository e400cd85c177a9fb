// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/conv/accumulator.h"
#include "kernels/conv/operand_store.h"
#include "kernels/conv/problem.h"
#include "kernels/conv/step.h"
#include "kernels/conv/step_moves.h"
#include "kernels/conv/step_products.h"
#include "kernels/conv/sum_rule.h"
#include "kernels/conv/tile_places.h"
#include "kernels/conv/tiling.h"

namespace okksim::kernels::conv {

/// Runs a tiled problem. In every parallel section the GDMA stores the previous tile and loads
/// inputs of the next step. Meanwhile the compute engine works on the current step.
class StepRunner {
 public:
    /// Allocates tiles in `range`. Bias and constants of the epilogue are already in local memory.
    /// All arguments must outlive this object.
    StepRunner(const Problem& problem, const SumRule& rule, const Tiling& tiling, LocalRange& range,
               const BiasParts& bias, const EpilogueRun& epilogue, const Lanes& lanes);

    /// Returns true if a sum did not fit.
    bool run();

    // The parts of a step, for planners that price each of them.

    /// A step with the addresses of its tiles.
    struct PlacedStep {
        const Step* step = nullptr;
        OperandStore::Tile input;
        OperandStore::Tile weights;
    };
    PlacedStep place(const Step& step);
    const TilePlaces& places() const { return places_; }
    void load_input(const PlacedStep& placed) const;
    void load_weights(const PlacedStep& placed) const;
    /// Loads tiles that the epilogue of the next output tile reads.
    void load_operands(const Step& step);
    void widen_input(const PlacedStep& placed) const;
    void widen_weights(const PlacedStep& placed) const;
    void begin_tile(const Step& step);
    void add_products(const PlacedStep& placed);
    void finish_tile() { sums_.finish(); }
    /// Stores output tile `tile`, which `step` completed.
    void store(const Step& step, std::int64_t tile) const {
        moves_.store_output(step, ring_slot(tile));
    }

 private:
    bool checks() const { return rule_.check != SumCheck::kNone; }
    int plane_words() const { return static_cast<int>(tiling_.plane_bytes / 4); }
    local_addr_t ring_slot(std::int64_t tile) const {
        return places_.ring +
               static_cast<std::uint32_t>(tile % tiling_.ring_slots) * tiling_.ring_bytes;
    }
    local_addr_t operand_plane(std::int64_t tile, std::size_t index) const;
    PlacedStep prepare(const Step& step);
    void compute(const PlacedStep& placed);

    const Problem& problem_;
    const SumRule& rule_;
    const Tiling& tiling_;
    TilePlaces places_;
    OperandStore inputs_;
    OperandStore weights_;
    local_addr_t violations_;  ///< of all tiles
    prim::Scratch scratch_;
    StepMoves moves_;
    StepProducts products_;
    Accumulator sums_;
    std::int64_t tile_ = 0;            ///< output tiles completed
    std::int64_t prepared_tiles_ = 0;  ///< output tiles whose last step is prepared
    prim::LocalTensor sum_;            ///< of the current output tile
    prim::LocalTensor partial_;
};

}  // namespace okksim::kernels::conv
