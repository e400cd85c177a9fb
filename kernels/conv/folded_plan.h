// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/call/constant_memory.h"
#include "kernels/conv/problem.h"
#include "kernels/planning/host.h"
#include "kernels/prim/lanes.h"

/// Depthwise convolutions of fewer channels than lanes: images, and pieces of the output's rows,
/// are distributed over the lanes in addition to channels. Every piece has the input rows that its
/// windows read, padding included.
namespace okksim::kernels::conv {

/// A tile is `pieces` pieces of `rows` output rows, one after the other, of all images, channels
/// and columns. Lane = piece * planes + image * channels + channel.
struct FoldedPlan {
    Lanes lanes;
    std::int32_t pieces = 1;
    std::int32_t rows = 1;
    // Addresses in local memory, the same in every lane; two input and output buffers if there are
    // several tiles.
    local_addr_t constants = 0;  ///< the bias, then the weights of the lane's channel
    local_addr_t input = 0, output = 0;
    std::uint32_t input_bytes = 0, output_bytes = 0;
    /// Bytes: offset of the packed constants in the prepared memory of the call, and offsets of
    /// weights and biases in the call's operands.
    std::uint64_t prepared = 0;
    std::int64_t weight_offset = 0, bias_offset = 0;
    Problem packed;   ///< problem of the packed constants; without addresses
    Duration time{};  ///< expected

    /// Bytes of the packed constants, one lane after the other.
    std::uint64_t packed_bytes() const;
    std::uint64_t argument_words() const {
        constexpr std::uint64_t kOwnWords = 14;
        return kOwnWords;
    }
};

/// Planner: returns the fastest folded plan. Returns nothing if the lanes cannot take more than the
/// channels of an image, or if one command cannot run the problem. It needs fp32, a bias, and
/// windows within the limits of a command. `prepared`: address of the packed constants, for prices.
std::optional<FoldedPlan> plan_folded(const Problem& problem, std::uint64_t prepared, Host& host);
/// All plans that plan_folded() chooses from.
std::vector<FoldedPlan> folded_candidates(const Problem& problem, const isa::MachineShape& machine);

/// Packs the constants of a planned problem at `to`, from the addresses of its weights and biases.
void pack_folded(const FoldedPlan& plan, std::uint64_t weights, std::uint64_t bias,
                 std::uint64_t to, const ConstantMemory& memory);

/// Firmware: runs the problem, at most `most` tiles of it. Its packed constants begin at
/// `constants`.
void run_folded(const Problem& problem, const FoldedPlan& plan, std::uint64_t constants,
                std::int64_t most = INT64_MAX);

}  // namespace okksim::kernels::conv
