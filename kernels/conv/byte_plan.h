// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/okk_features.h"
#include "kernels/conv/byte_block.h"
#include "kernels/conv/problem.h"
#include "kernels/planning/host.h"
#include "kernels/prim/lanes.h"
#include "kernels/prim/rescale.h"

/// Convolutions of bytes by the commands of the group int8_mac: one per tile, and none besides
/// where sums are scaled on their way to memory (fused_rescale). Weights, biases and factors are
/// packed once, before the graph runs.
namespace okksim::kernels::conv {

/// What becomes of sums.
struct ByteScale {
    std::vector<prim::ScaleFactor> factors;  ///< one, or one per output channel
    prim::ScaleOutput output;
    bool rounds_twice = false;
    bool is_fused = false;  ///< by the convolution's command; else by one of its own
};

/// How a problem is carried out: tiles of some images, all columns and so many output rows.
struct BytePlan {
    Lanes lanes;
    std::int32_t images = 1;
    std::int32_t rows = 1;
    std::vector<ByteBlock> blocks;
    std::optional<ByteScale> scale;
    bool unfolds = false;  ///< columns of windows are channels (byte_unfold.h)
    // Places in local memory, the same in every lane; two of each where there are several steps.
    local_addr_t weights = 0;                      ///< behind the constants: of an image alone
    local_addr_t input = 0, output = 0, sums = 0;  ///< behind those
    std::uint32_t constant_bytes = 0, weight_bytes = 0, input_bytes = 0, output_bytes = 0;
    /// Of the packed constants in what is prepared for the call; and where weights and biases begin
    /// in the call's operands: bytes.
    std::uint64_t prepared = 0, packed_bytes = 0;
    std::int64_t weight_offset = 0, bias_offset = 0;
    Problem packed;   ///< whose constants are packed; without addresses
    Duration time{};  ///< that it takes

    std::uint64_t argument_words() const {
        constexpr std::uint64_t kOwnWords = 23;
        return kOwnWords + 7 * blocks.size();  // factors are among the packed constants
    }
};

/// Planner: the fastest way to carry the problem out with commands on bytes; nothing where the
/// machine or the problem has none: other types, sums that might not fit, values that are not
/// known, axes beyond a command.
/// `prepared`: where prepared constants will lie, for prices.
std::optional<BytePlan> plan_bytes(const Problem& problem, std::uint64_t prepared, Host& host);

/// Firmware: packs the constants of a planned problem at `to`. Its weights and biases begin at the
/// addresses.
void pack_constants(const BytePlan& plan, std::uint64_t weights, std::uint64_t bias,
                    std::uint64_t to);

/// Firmware: carries the problem out; its packed constants begin at `constants`. At most so many
/// steps.
void run_bytes(const Problem& problem, const BytePlan& plan, std::uint64_t constants,
               std::int64_t most = INT64_MAX);

}  // namespace okksim::kernels::conv
