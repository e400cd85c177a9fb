// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/planning/decisions.h"
#include "kernels/prim/lanes.h"
#include "kernels/tiling/nd_tiles.h"

namespace okksim::kernels {

/// Addresses of an operand of a pointwise operator in local memory. A buffer is packed, or holds
/// words if the GDMA spreads the operand (spread_io.h).
struct PointwiseRegion {
    bool spread = false;
    local_addr_t buffer = 0;
    std::uint32_t buffer_bytes = 0;  ///< of one copy
    std::uint32_t copies = 1;
    local_addr_t words = 0;         ///< separate words, if the operand needs them
    std::uint32_t words_bytes = 0;  ///< of one copy; 0 if the buffer holds the words

    /// The packed elements, or words, of one copy.
    local_addr_t buffer_of(int buffer_index, int copy) const {
        return buffer + (static_cast<std::uint32_t>(buffer_index) * copies +
                         static_cast<std::uint32_t>(copy)) *
                            buffer_bytes;
    }
    local_addr_t words_of(int copy) const {
        return words + static_cast<std::uint32_t>(copy) * words_bytes;
    }
};

/// The tiles of a pointwise operator and its local memory. From the bottom up: buffers of the
/// inputs and the output, separate words, the table, the violations, scratch planes. There are two
/// buffers each unless one tile holds all.
struct PointwisePlan {
    Lanes lanes;
    NdTiling tiling;
    int buffers = 1;
    std::vector<PointwiseRegion> inputs;
    PointwiseRegion output;
    local_addr_t table = 0;
    local_addr_t violations = 0;
    std::uint32_t plane_bytes = 0;
    local_addr_t scratch = 0;
    std::uint32_t scratch_bytes = 0;

    std::uint64_t argument_words() const {
        // The address of a table replaces that of its operand.
        return tiling.argument_words() + 7 + 6 * (inputs.size() + 1);
    }
};

/// A plan with the known part of the values that the operator depends on.
template <typename Known>
struct PointwiseDecision {
    std::optional<Known> known;  ///< nothing: firmware reads them
    PointwisePlan plan;

    std::uint64_t argument_words() const {
        return 1 + (known ? kernels::argument_words(*known) : 0) + plan.argument_words();
    }
};

}  // namespace okksim::kernels
