// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "firmware/okk.h"
#include "kernels/call/constant_memory.h"
#include "kernels/conv/problem.h"
#include "kernels/prim/lanes.h"
#include "kernels/prim/rescale.h"

/// Packed constants of convolutions of bytes in the layout of commands: side by side in every lane.
namespace okksim::kernels::conv {

/// Output channels [first, first + count) of a problem, for one command.
struct ByteBlock {
    std::int32_t first = 0;
    std::int32_t count = 0;
    std::int32_t slots = 0;         ///< channels in a lane
    std::int64_t words = 0;         ///< of constants in a lane: biases, if any,
    std::int32_t factor_word = 0;   ///< factors,
    std::int32_t weight_word = 0;   ///< weights, unless each image has its own
    std::int64_t weight_words = 0;  ///< of the weights
    std::uint64_t constants = 0;    ///< byte offset in the problem's packed constants

    /// Bytes of all lanes' constants, one lane after the other.
    std::uint64_t bytes(const Lanes& lanes) const;
};

/// Computes the layout of a block's constants, with factors if sums are scaled.
ByteBlock byte_block(const Problem& problem, bool is_scaled, std::int32_t first, std::int32_t count,
                     const Lanes& lanes);

/// Addresses and values of a problem's constants.
struct ByteConstants {
    std::uint64_t weights = 0;
    std::uint64_t bias = 0;
    std::span<const prim::ScaleFactor> factors;  ///< none, one, or one per output channel
};
/// Returns the bytes of a block, one lane after the other.
std::vector<unsigned char> packed_block(const Problem& problem, const ByteBlock& block,
                                        const ByteConstants& from, const Lanes& lanes,
                                        const ConstantMemory& memory);
/// Firmware: loads a block, which begins at `from` + ByteBlock::constants, to local memory.
void load_byte_block(local_addr_t to, std::uint64_t from, const ByteBlock& block,
                     const Lanes& lanes);

}  // namespace okksim::kernels::conv
