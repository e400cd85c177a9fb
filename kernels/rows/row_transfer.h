// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/conv/block_transfer.h"
#include "kernels/rows/row_plan.h"

namespace okksim::kernels::rows {

/// Rows that are in local memory at a time.
struct Tile {
    std::int64_t first = 0;
    std::int32_t rows = 1;
};

/// A row group's tiles between system and local memory.
class RowTransfers {
 public:
    RowTransfers(const OperatorCall& call, const RowPlan& plan)
        : call_(call), plan_(plan), program_(plan.program) {}

    /// Address of the value; `buffer` selects the tile.
    local_addr_t place(int value, int buffer) const;
    /// Elements from one channel slot to the next.
    int slot_stride(const RowValue& value) const;

    void load(std::size_t value, const Tile& tile, int buffer) const;
    /// The last command's result.
    void store(const Tile& tile, int buffer) const;

 private:
    const DeviceTensor& tensor(const StoredValue& stored) const;
    template <typename Move>
    void for_each_part(const DeviceTensor& tensor, const RowValue& value, const RowStrides& strides,
                       const Tile& tile, const Move& move) const;
    local_addr_t place_of_row(const RowValue& value, std::int64_t row) const;
    conv::BlockTransfer transfer(const RowValue& value, const RowStrides& strides, int rows,
                                 int blocks = 1) const;
    void load_table(const RowValue& value, std::uint64_t from, local_addr_t to) const;
    void load_matrices(const RowValue& value, std::uint64_t from, local_addr_t to,
                       const Tile& tile) const;

    const OperatorCall& call_;
    const RowPlan& plan_;
    const RowProgram& program_;
};

}  // namespace okksim::kernels::rows
