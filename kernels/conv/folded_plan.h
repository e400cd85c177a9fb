// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/conv/problem.h"
#include "kernels/planning/host.h"
#include "kernels/prim/lanes.h"

/// Depthwise convolutions of fewer channels than lanes: images, and pieces of the output's rows, go
/// over the lanes beside them. Every piece has the input rows that its windows meet, zeros around
/// the map included.
namespace okksim::kernels::conv {

/// A tile is `pieces` pieces of `rows` output rows, one after the other, of all images, channels
/// and columns. Lane = piece * planes + image * channels + channel.
struct FoldedPlan {
    Lanes lanes;
    std::int32_t pieces = 1;
    std::int32_t rows = 1;
    // Places in local memory, the same in every lane; two of maps where there are several tiles.
    local_addr_t constants = 0;  ///< the bias, then the weights of the lane's channel
    local_addr_t input = 0, output = 0;
    std::uint32_t input_bytes = 0, output_bytes = 0;
    /// Of the packed constants in what is prepared for the call; and where weights and biases begin
    /// in the call's operands: bytes.
    std::uint64_t prepared = 0;
    std::int64_t weight_offset = 0, bias_offset = 0;
    Problem packed;   ///< whose constants are packed; without addresses
    Duration time{};  ///< that it takes

    /// Bytes of the packed constants, one lane after the other.
    std::uint64_t packed_bytes() const;
    std::uint64_t argument_words() const {
        constexpr std::uint64_t kOwnWords = 14;
        return kOwnWords;
    }
};

/// Planner: the fastest way to carry the problem out so; nothing where its lanes cannot take more
/// than the channels of an image, or where one command does not take it: fp32, a bias, windows
/// within what a command knows. `prepared`: where packed constants will lie, for prices.
std::optional<FoldedPlan> plan_folded(const Problem& problem, std::uint64_t prepared, Host& host);
/// Every plan that plan_folded chooses among.
std::vector<FoldedPlan> folded_candidates(const Problem& problem, const isa::MachineShape& machine);

/// Firmware: packs the constants of a planned problem at `to`. Its weights and biases begin at the
/// addresses.
void pack_folded(const FoldedPlan& plan, std::uint64_t weights, std::uint64_t bias,
                 std::uint64_t to);

/// Firmware: carries the problem out; its packed constants begin at `constants`. At most so many
/// tiles.
void run_folded(const Problem& problem, const FoldedPlan& plan, std::uint64_t constants,
                std::int64_t most = INT64_MAX);

}  // namespace okksim::kernels::conv
