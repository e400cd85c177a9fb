// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/okk.h"
#include "kernels/conv/step.h"

namespace okksim::kernels::conv {

/// The data mover's part of a step.
class StepMoves {
 public:
    StepMoves(const Problem& problem, const Tiling& tiling, int lanes)
        : problem_(problem), tiling_(tiling), lanes_(lanes) {}

    void load_input(const Step& step, local_addr_t to) const;
    void load_weights(const Step& step, local_addr_t to) const;
    void store_output(const Step& step, local_addr_t from) const;

 private:
    const Problem& problem_;
    const Tiling& tiling_;
    int lanes_;
};

}  // namespace okksim::kernels::conv
