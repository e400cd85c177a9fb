// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "kernels/tile_io.h"
#include "kernels/tosa/pool_tiles.h"

namespace okksim::kernels {

/// What a pooling operator does besides combining: all functions issue compute commands, except
/// `before`.
struct PoolStages {
    /// Scratch planes of the tile's shape that `adapt` and `finish` take.
    int planes = 0;
    /// Changes the words of the input, which are in the aligned layout, before they are padded.
    std::function<void(const prim::LocalTensor& words, prim::Scratch& scratch)> adapt;
    /// Makes the output's words of a tile's results, in place.
    std::function<void(const PoolStep& step, const prim::LocalTensor& words,
                       prim::Scratch& scratch)>
        finish;
    /// Runs in serial mode before the last step of a tile: `constants` is the address of
    /// `constant_planes` planes, `plane_bytes` apart, for what finish needs.
    std::function<void(const PoolStep& step, local_addr_t constants, std::uint32_t plane_bytes)>
        before;
    int constant_planes = 0;
};

/// Runs a pooling operator: combines every window of `input`, [N, IH, IW, C], into `output`.
/// `in_form` is the form of the words that are combined, `out_form` that of the results. True when
/// the combiner checks and found a violation.
bool run_pool(const Combiner& combiner, const PoolShape& shape, const DeviceTensor& input,
              WordForm in_form, const DeviceTensor& output, WordForm out_form,
              const PoolStages& stages);

}  // namespace okksim::kernels
