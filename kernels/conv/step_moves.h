// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "firmware/okk.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/step.h"

namespace okksim::kernels::conv {

/// Transfers of a step by the GDMA.
class StepMoves {
 public:
    StepMoves(const Problem& problem, const Tiling& tiling, const Lanes& lanes)
        : problem_(problem), tiling_(tiling), lanes_(lanes) {}

    void load_input(const Step& step, local_addr_t to) const;
    void load_weights(const Step& step, local_addr_t to) const;
    void store_output(const Step& step, local_addr_t from) const;
    /// Loads the step's output tile of another tensor of the output's shape.
    void load_operand(const Step& step, const FeatureMaps& maps, local_addr_t to) const;

 private:
    /// The step's output tile of feature maps that begin at the problem's first channel, and its
    /// address.
    std::pair<BlockTransfer, std::uint64_t> output_block(const Step& step,
                                                         const FeatureMaps& maps) const;

    const Problem& problem_;
    const Tiling& tiling_;
    Lanes lanes_;
};

}  // namespace okksim::kernels::conv
