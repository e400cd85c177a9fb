// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "firmware/okk.h"

namespace okksim::kernels {

/// Runs `steps` tiles so that data movement and computation overlap. load(i) and store(i) issue
/// data-mover commands only, compute(i) issues compute commands only; tiles i and i+1 use different
/// buffers for what is loaded, and different buffers for what is stored. before(i) runs in serial
/// mode ahead of compute(i). Leaves serial mode.
template <typename Load, typename Compute, typename Store, typename Before>
void run_tile_pipeline(std::size_t steps, const Load& load, const Compute& compute,
                       const Store& store, const Before& before) {
    if (steps == 0) return;
    load(std::size_t{0});
    for (std::size_t i = 0; i < steps; ++i) {
        before(i);
        if (steps > 1) okk_parallel_start();
        if (i > 0) store(i - 1);
        if (i + 1 < steps) load(i + 1);
        compute(i);
        if (steps > 1) okk_parallel_end();
    }
    store(steps - 1);
}

template <typename Load, typename Compute, typename Store>
void run_tile_pipeline(std::size_t steps, const Load& load, const Compute& compute,
                       const Store& store) {
    run_tile_pipeline(steps, load, compute, store, [](std::size_t) {});
}

}  // namespace okksim::kernels
