// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_transfer.h"

#include <algorithm>

#include "kernels/prim/lanes.h"

namespace okksim::kernels::rows {

const DeviceTensor& RowTransfers::tensor(const StoredValue& stored) const {
    return stored.member == 0 ? call_.inputs[stored.input]
                              : call_.followers[stored.member - 1].inputs[stored.input];
}

local_addr_t RowTransfers::place(int value, int buffer) const {
    const auto v = static_cast<std::size_t>(value);
    return plan_.places[v] + static_cast<std::uint32_t>(buffer) * plan_.second_place[v];
}

int RowTransfers::slot_stride(const RowValue& value) const {
    const int bytes = element_bytes(value.type);
    return static_cast<int>(plan_.lanes.whole_line_bytes(columns_of(program_, value) * bytes) /
                            bytes);
}

/// Byte offset from the value's first row. Rows are distributed over the lanes.
local_addr_t RowTransfers::place_of_row(const RowValue& value, std::int64_t row) const {
    const std::int64_t slot = row / plan_.lanes.count, lane = row % plan_.lanes.count;
    const std::int64_t slot_bytes = std::int64_t{slot_stride(value)} * element_bytes(value.type);
    return static_cast<local_addr_t>(lane * plan_.lane_bytes + slot * slot_bytes);
}

conv::BlockTransfer RowTransfers::transfer(const RowValue& value, const RowStrides& strides,
                                           int rows, int blocks) const {
    const auto columns = static_cast<int>(columns_of(program_, value));
    conv::BlockTransfer block;
    block.element_bytes = element_bytes(value.type);
    block.shape = {blocks, rows, 1, columns};
    block.system = {blocks > 1 ? strides.block : 0, strides.row, 0, strides.column};
    const std::int64_t slot = slot_stride(value);
    block.local = {blocks > 1 ? plan_.lanes.slots(rows) * slot : 0, slot, 0, 1};
    block.transposes = plan_.lanes.has(isa::Feature::kDmaLayout);
    return block;
}

/// Calls `move` for every part of a tile, with the address in system memory, the offset in the
/// value, and the transfer. A part is in one block of rows, or is several whole blocks that fill
/// their lanes.
template <typename Move>
void RowTransfers::for_each_part(const DeviceTensor& tensor, const RowValue& value,
                                 const RowStrides& strides, const Tile& tile,
                                 const Move& move) const {
    const std::int64_t all =
        strides.block == strides.row * program_.block_rows ? program_.rows : program_.block_rows;
    const std::int64_t end = tile.first + tile.rows;
    std::int64_t rows = 0;
    for (std::int64_t row = tile.first; row < end; row += rows) {
        const std::int64_t block = row / all, inside = row % all;
        rows = std::min(all - inside, end - row);
        const bool are_whole = inside == 0 && all % plan_.lanes.count == 0;
        const std::int64_t blocks = are_whole ? std::max<std::int64_t>(1, (end - row) / all) : 1;
        const std::int64_t offset = block * strides.block + inside * strides.row;
        move(tensor.address + static_cast<std::uint64_t>(offset * stored_bytes(tensor.type)),
             place_of_row(value, row - tile.first),
             transfer(value, strides, static_cast<int>(rows), static_cast<int>(blocks)));
        rows *= blocks;
    }
}

/// Loads a copy of a table into every lane.
void RowTransfers::load_table(const RowValue& value, std::uint64_t from, local_addr_t to) const {
    conv::BlockTransfer block;
    block.element_bytes = element_bytes(value.type);
    const auto entries = static_cast<int>(value.table_bytes / block.element_bytes);
    block.shape = {1, plan_.lanes.count, 1, entries};
    block.system = {0, 0, 0, 1};
    block.local = {0, entries, 0, 1};
    conv::load_block(to, from, block);
}

/// Loads the right factors of the products of the tile's rows.
void RowTransfers::load_matrices(const RowValue& value, std::uint64_t from, local_addr_t to,
                                 const Tile& tile) const {
    const std::int64_t first = tile.first / program_.matrix_rows;
    const std::int64_t last = (tile.first + tile.rows - 1) / program_.matrix_rows;
    const RowStrides& strides = value.stored->strides;
    const std::int64_t line = slot_stride(value);
    conv::BlockTransfer block;
    block.element_bytes = element_bytes(value.type);
    block.shape = {static_cast<int>(last - first + 1), static_cast<int>(value.channels), 1,
                   static_cast<int>(value.columns)};
    block.system = {strides.block, strides.row, 0, strides.column};
    block.local = {plan_.lanes.slots(value.channels) * line, line, 0, 1};
    block.transposes = plan_.lanes.has(isa::Feature::kDmaLayout);
    conv::load_block(to, from + static_cast<std::uint64_t>(first * strides.block), block);
}

void RowTransfers::load(std::size_t v, const Tile& tile, int buffer) const {
    const RowValue& value = program_.values[v];
    const DeviceTensor& source = tensor(*value.stored);
    const local_addr_t to = place(static_cast<int>(v), buffer);
    if (value.table_bytes > 0) return load_table(value, source.address, to);
    if (value.channels > 0) return load_matrices(value, source.address, to, tile);
    const RowStrides& strides = value.stored->strides;
    if (!has_rows(value.extent)) {
        conv::load_block(to, source.address, transfer(value, strides, plan_.lanes.count));
        return;
    }
    for_each_part(source, value, strides, tile,
                  [&](std::uint64_t from, local_addr_t place, const conv::BlockTransfer& block) {
                      conv::load_block(to + place, from, block);
                  });
}

void RowTransfers::store(const Tile& tile, int buffer) const {
    const int result = program_.commands.back().result;
    const RowValue& value = program_.values[static_cast<std::size_t>(result)];
    const local_addr_t from = place(result, buffer);
    if (!has_rows(value.extent)) {
        conv::store_block(call_.outputs[0].address, from, transfer(value, program_.result, 1));
        return;
    }
    for_each_part(call_.outputs[0], value, program_.result, tile,
                  [&](std::uint64_t to, local_addr_t place, const conv::BlockTransfer& block) {
                      conv::store_block(to, from + place, block);
                  });
}

}  // namespace okksim::kernels::rows
