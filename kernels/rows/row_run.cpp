// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_run.h"

#include <algorithm>
#include <string>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/types.h"
#include "kernels/call/computing.h"
#include "kernels/call/violations.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/planning/decisions.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/rows/row_commands.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels::rows {
namespace {

using prim::LocalTensor;

struct Tile {
    std::int64_t first = 0;
    std::int32_t rows = 1;
};

class RowRun {
 public:
    RowRun(const OperatorCall& call, const RowPlan& plan)
        : call_(call), plan_(plan), program_(plan.program) {}

    /// What all tiles share.
    void begin() {
        for (std::size_t v = 0; v < program_.values.size(); ++v) {
            const RowValue& value = program_.values[v];
            if (value.stored && !has_rows(value.extent)) load_value(v, {0, 1}, 0);
        }
    }

    void load(const Tile& tile, int buffer) {
        charge(OwnWork::kTile);
        for (std::size_t v = 0; v < program_.values.size(); ++v) {
            const RowValue& value = program_.values[v];
            if (value.stored && has_rows(value.extent)) load_value(v, tile, buffer);
        }
    }

    void compute(const Tile& tile, int buffer) {
        for (const RowCommand& command : program_.commands) {
            const auto result = static_cast<std::size_t>(command.result);
            if (tile.first > 0 && !has_rows(program_.values[result].extent)) continue;
            RowOperands operands{value_of(command.result, command, tile, buffer), {}};
            for (std::size_t k = 0; k < command.operands.size(); ++k) {
                if (command.operands[k] < 0) continue;
                operands.sources[k] = value_of(command.operands[k], command, tile, buffer);
            }
            issue(command, operands, plan_.half, program_.columns);
            if (command.check != RowCheck::kNone) check(command, operands, tile);
        }
    }

    void store(const Tile& tile, int buffer) {
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

 private:
    const DeviceTensor& tensor(const StoredValue& stored) const {
        return stored.member == 0 ? call_.inputs[stored.input]
                                  : call_.followers[stored.member - 1].inputs[stored.input];
    }

    /// Calls `move` with the address in system memory, the place within the value's and the
    /// transfer of every part of a tile that lies in one block of rows.
    template <typename Move>
    void for_each_part(const DeviceTensor& tensor, const RowValue& value, const RowStrides& strides,
                       const Tile& tile, const Move& move) const {
        const std::int64_t all = strides.block == strides.row * program_.block_rows
                                     ? program_.rows
                                     : program_.block_rows;
        const std::int64_t end = tile.first + tile.rows;
        std::int64_t rows = 0;
        for (std::int64_t row = tile.first; row < end; row += rows) {
            const std::int64_t block = row / all, inside = row % all;
            rows = std::min(all - inside, end - row);
            const std::int64_t offset = block * strides.block + inside * strides.row;
            move(tensor.address + static_cast<std::uint64_t>(offset * stored_bytes(tensor.type)),
                 place_of_row(value, row - tile.first),
                 transfer(value, strides, static_cast<int>(rows)));
        }
    }

    /// Bytes from the value's first row: rows go over the lanes.
    local_addr_t place_of_row(const RowValue& value, std::int64_t row) const {
        const std::int64_t slot = row / plan_.lanes.count, lane = row % plan_.lanes.count;
        const std::int64_t slot_bytes = std::int64_t{slot_stride(value)} * element_bytes(value.type);
        return static_cast<local_addr_t>(lane * plan_.lane_bytes + slot * slot_bytes);
    }

    local_addr_t place(int value, int buffer) const {
        const auto v = static_cast<std::size_t>(value);
        return plan_.places[v] + static_cast<std::uint32_t>(buffer) * plan_.second_place[v];
    }

    /// Elements from one channel slot to the next.
    int slot_stride(const RowValue& value) const {
        const int bytes = element_bytes(value.type);
        const std::int64_t columns = has_columns(value.extent) ? program_.columns : 1;
        return static_cast<int>(plan_.lanes.whole_line_bytes(columns * bytes) / bytes);
    }

    conv::BlockTransfer transfer(const RowValue& value, const RowStrides& strides, int rows) const {
        const auto columns = static_cast<int>(has_columns(value.extent) ? program_.columns : 1);
        conv::BlockTransfer block;
        block.element_bytes = element_bytes(value.type);
        block.shape = {1, rows, 1, columns};
        block.system = {0, strides.row, 0, strides.column};
        block.local = {0, slot_stride(value), 0, 1};
        block.transposes = plan_.lanes.has(isa::Feature::kDmaLayout);
        return block;
    }

    void load_value(std::size_t v, const Tile& tile, int buffer) {
        const RowValue& value = program_.values[v];
        const DeviceTensor& source = tensor(*value.stored);
        const local_addr_t to = place(static_cast<int>(v), buffer);
        if (value.table_bytes > 0) {
            conv::BlockTransfer block;
            block.element_bytes = element_bytes(value.type);
            const auto entries = static_cast<int>(value.table_bytes / block.element_bytes);
            block.shape = {1, plan_.lanes.count, 1, entries};
            block.system = {0, 0, 0, 1};
            block.local = {0, entries, 0, 1};
            conv::load_block(to, source.address, block);
            return;
        }
        const RowStrides& strides = value.stored->strides;
        if (!has_rows(value.extent)) {
            conv::load_block(to, source.address, transfer(value, strides, plan_.lanes.count));
            return;
        }
        for_each_part(source, value, strides, tile,
                      [&](std::uint64_t from, local_addr_t place,
                          const conv::BlockTransfer& block) {
                          conv::load_block(to + place, from, block);
                      });
    }

    /// A value as an operand of a command: what has no rows is in every lane.
    RowOperand value_of(int value, const RowCommand& command, const Tile& tile, int buffer) const {
        const RowValue& own = program_.values[static_cast<std::size_t>(value)];
        const RowExtent extent = program_.values[static_cast<std::size_t>(command.result)].extent;
        RowOperand operand;
        operand.type = own.type;
        operand.address = place(value, buffer);
        operand.shape = {1, has_rows(extent) ? tile.rows : plan_.lanes.count, 1,
                         static_cast<int>(has_columns(own.extent) ? program_.columns : 1)};
        operand.stride = {0, has_rows(own.extent) ? slot_stride(own) : 0, 0,
                          has_columns(own.extent) ? 1 : 0};
        return operand;
    }

    void check(const RowCommand& command, const RowOperands& operands, const Tile& tile) {
        const RowExtent extent = checked_extent(program_, command);
        const RowValue words{OKK_INT32, extent};
        const dim4 shape{1, has_rows(extent) ? tile.rows : plan_.lanes.count, 1,
                         static_cast<int>(has_columns(extent) ? program_.columns : 1)};
        const dim4 stride{0, slot_stride(words), 0, 1};
        const LocalTensor found{plan_.violations, shape, stride};
        const LocalTensor other{plan_.other, shape, stride};
        find_violations(command, operands, other);
        prim::raw::bit_or(found, found, other);
    }

    const OperatorCall& call_;
    const RowPlan& plan_;
    const RowProgram& program_;
};

}  // namespace

RowExtent checked_extent(const RowProgram& program, const RowCommand& command) {
    const int value =
        command.check == RowCheck::kAmount ? command.operands[1] : command.result;
    return program.values[static_cast<std::size_t>(value)].extent;
}

int element_bytes(okk_element_t type) {
    return isa::element_bytes(static_cast<isa::ElementType>(type));
}

void run_rows(const OperatorCall& call, const RowPlan& plan, std::int64_t most) {
    charge(OwnWork::kTileLoops);
    RowRun run(call, plan);
    run.begin();
    TilePipeline<Tile, RowRun> pipeline(run);
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < most && first < plan.program.rows; ++i) {
        const std::int64_t rows = std::min(plan.tile_rows, plan.program.rows - first);
        pipeline.push({first, static_cast<std::int32_t>(rows)});
        first += rows;
    }
    pipeline.finish();
}

void row_group_kernel(const OperatorCall& call) {
    const RowPlan& plan =
        call.decisions->take("rows", [&](Host& host) { return plan_rows(call, host); });
    const int words = static_cast<int>(plan.violation_words);
    if (words > 0) clear_violations(plan.violations, words, plan.lanes);
    run_rows(call, plan, INT64_MAX);
    if (words > 0 && any_violation(plan.violations, words, plan.lanes)) {
        throw_unpredictable(call, "an operator that shares the kernel", "some element",
                            "results fit int32_t and shifts are 0 to 31");
    }
}

}  // namespace okksim::kernels::rows
