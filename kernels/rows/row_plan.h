// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/layout.h"
#include "kernels/prim/lanes.h"
#include "kernels/rows/row_program.h"

namespace okksim::kernels::rows {

/// A row group's program with its tiles and the addresses of its values. Rows are distributed over
/// the lanes; each row is in one lane. Values that are loaded or stored with a tile have two
/// buffers if there are several tiles.
struct RowPlan {
    RowProgram program;
    Lanes lanes;
    std::int64_t lane_bytes = 0;  ///< of local memory
    std::int64_t tile_rows = 1;
    std::vector<local_addr_t> places;         ///< of the values
    std::vector<std::uint32_t> second_place;  ///< bytes from the first to the second buffer; or 0
    local_addr_t half = 0;                    ///< half of the largest operand of a reduction
    local_addr_t other = 0;                   ///< second operand of the comparisons of checks
    local_addr_t violations = 0;
    std::uint32_t violation_words = 0;  ///< in every lane; 0 without checks

    std::int64_t tiles() const { return isa::div_up(program.rows, tile_rows); }
    std::uint64_t argument_words() const {
        return program.argument_words() + 2 * places.size() + 9;
    }
};

}  // namespace okksim::kernels::rows
