// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/layout.h"
#include "kernels/prim/exponential.h"
#include "kernels/prim/lanes.h"
#include "kernels/rows/float_row_program.h"

namespace okksim::kernels::rows {

/// Layout of rows in the lanes. `share` rows of a block are a piece, which is a channel: its rows
/// are lines of columns, or its columns are lines of rows.
struct FloatRowLayout {
    bool rows_are_lines = true;
    std::int64_t share = 1;
    std::int64_t fold = 0;  ///< results of the first of two reduction steps; 0: one step
};

/// A row group's program with its tiles and the addresses of its values. A tile is some pieces of a
/// block, or some blocks. Values that are loaded or stored with a tile have two buffers if there
/// are several tiles.
struct FloatRowPlan {
    FloatRowProgram program;
    Lanes lanes;
    FloatRowLayout layout;
    prim::PowerSteps power_steps = prim::PowerSteps::kSeries;
    std::int64_t tile_pieces = 1, tile_blocks = 1;
    /// The blocks of a tile are transferred one by one. System memory is then accessed in order, if
    /// the lines of a piece are further apart in it than pieces are.
    bool blocks_apart = false;
    std::vector<local_addr_t> places;         ///< of the values
    std::vector<std::uint32_t> second_place;  ///< bytes from the first to the second buffer; or 0
    local_addr_t scratch = 0;                 ///< function planes, first reduction steps
    std::uint32_t scratch_bytes = 0;

    std::int64_t pieces() const { return program.block_rows / layout.share; }
    std::int64_t blocks() const { return program.rows / program.block_rows; }
    std::int64_t tiles() const {
        return isa::div_up(pieces(), tile_pieces) * isa::div_up(blocks(), tile_blocks);
    }
    /// Lines, and words per line, of a piece of a value or of a row of a matrix.
    dim2 plane(const FloatRowValue& value) const {
        const std::int64_t all = value.columns > 0 ? value.columns : program.columns;
        const auto columns = static_cast<int>(has_columns(value.extent) ? all : 1);
        const auto rows = static_cast<int>(has_rows(value.extent) ? layout.share : 1);
        return layout.rows_are_lines ? dim2{rows, columns} : dim2{columns, rows};
    }
    /// Words from one channel of a value in a lane to the next.
    std::int64_t plane_words(const FloatRowValue& value) const {
        const dim2 own = plane(value);
        return lanes.whole_lines(std::int64_t{own.h} * own.w);
    }
    /// Words of the arguments: an address for every value, a second one for values with two
    /// buffers.
    std::uint64_t argument_words() const { return program.argument_words() + places.size() + 13; }
};

}  // namespace okksim::kernels::rows
