// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/okk_features.h"
#include "kernels/call/constant_memory.h"
#include "kernels/conv/byte_block.h"
#include "kernels/conv/problem.h"
#include "kernels/planning/host.h"
#include "kernels/prim/lanes.h"
#include "kernels/prim/rescale.h"

/// Convolutions of bytes by the commands of the group int8_mac. A tile is one command if scaling is
/// part of it (fused_rescale). Weights, biases and factors are packed once, before the graph runs.
namespace okksim::kernels::conv {

/// Scaling of sums.
struct ByteScale {
    std::vector<prim::ScaleFactor> factors;  ///< one, or one per output channel
    prim::ScaleOutput output;
    bool rounds_twice = false;
    bool is_fused = false;  ///< by the convolution's command; else by a separate one
};

/// Plan of a problem: tiles of `images` images, all columns and `rows` output rows.
struct BytePlan {
    Lanes lanes;
    std::int32_t images = 1;
    std::int32_t rows = 1;
    std::vector<ByteBlock> blocks;
    std::optional<ByteScale> scale;
    bool unfolds = false;  ///< columns of windows are channels (byte_unfold.h)
    // Addresses in local memory, the same in every lane; two buffers each if there are several
    // steps.
    local_addr_t weights = 0;                      ///< after the constants: weights of one image
    local_addr_t input = 0, output = 0, sums = 0;  ///< after the weights
    std::uint32_t constant_bytes = 0, weight_bytes = 0, input_bytes = 0, output_bytes = 0;
    /// Bytes: offset of the packed constants in the prepared memory of the call, and their size;
    /// offsets of weights and biases in the call's operands.
    std::uint64_t prepared = 0, packed_bytes = 0;
    std::int64_t weight_offset = 0, bias_offset = 0;
    Problem packed;   ///< problem of the packed constants; without addresses
    Duration time{};  ///< expected

    std::uint64_t argument_words() const {
        constexpr std::uint64_t kOwnWords = 23;
        return kOwnWords + 7 * blocks.size();  // factors are among the packed constants
    }
};

/// Packs the constants of a planned problem at `to`, from the addresses of its weights and biases.
void pack_constants(const BytePlan& plan, std::uint64_t weights, std::uint64_t bias,
                    std::uint64_t to, const ConstantMemory& memory);

/// Firmware: runs the problem, at most `most` steps of it. Its packed constants begin at
/// `constants`.
void run_bytes(const Problem& problem, const BytePlan& plan, std::uint64_t constants,
               std::int64_t most = INT64_MAX);

}  // namespace okksim::kernels::conv
