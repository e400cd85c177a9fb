// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_run.h"

#include <algorithm>
#include <vector>

#include "firmware/okk.h"
#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "isa/limits.h"
#include "isa/types.h"
#include "kernels/call/computing.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/rows/row_commands.h"
#include "kernels/rows/row_transfer.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels::rows {
namespace {

using prim::LocalTensor;

class RowRun {
 public:
    RowRun(const OperatorCall& call, const RowPlan& plan)
        : plan_(plan), program_(plan.program), transfers_(call, plan), split_(first_shared()) {}

    /// Runs the first tile's commands up to the first reader of shared values. Shared values, and
    /// those that the tile needs later, are loaded at the same time.
    void begin(const Tile& tile) {
        charge(OwnWork::kTile);
        load_where(tile, 0, [&](std::size_t v) { return has_rows(v) && !is_late(v); });
        okk_parallel_start();
        load_where({0, 1}, 0, [&](std::size_t v) { return !has_rows(v); });
        load_where(tile, 0, [&](std::size_t v) { return has_rows(v) && is_late(v); });
        compute(tile, 0, 0, split_);
        okk_parallel_end();
    }

    void load(const Tile& tile, int buffer) {
        if (tile.first == 0) return;  // begin()
        charge(OwnWork::kTile);
        load_where(tile, buffer, [&](std::size_t v) { return has_rows(v); });
    }

    void compute(const Tile& tile, int buffer) {
        compute(tile, buffer, tile.first == 0 ? split_ : 0, program_.commands.size());
    }

    void compute(const Tile& tile, int buffer, std::size_t first, std::size_t end) {
        if (first == 0) spread_.assign(program_.values.size(), 1);
        for (std::size_t i = first; i < end; ++i) {
            const RowCommand& command = program_.commands[i];
            const auto result = static_cast<std::size_t>(command.result);
            if (tile.first > 0 && !has_rows(result)) continue;
            RowOperands operands{value_of(command.result, command, tile, buffer), {}};
            for (std::size_t k = 0; k < command.operands.size(); ++k) {
                if (command.operands[k] < 0) continue;
                operands.sources[k] = value_of(command.operands[k], command, tile, buffer);
            }
            if (command.function == RowFunction::kProduct) {
                multiply(command, operands, tile);
                continue;
            }
            const RowOperands laid = laid_out(command, operands, tile);
            issue(command, laid, plan_.half, program_.columns);
            if (command.check == RowCheck::kNone) continue;
            check(command, command.check == RowCheck::kAmount ? operands : laid);
        }
    }

    void store(const Tile& tile, int buffer) { transfers_.store(tile, buffer); }

 private:
    bool has_rows(std::size_t v) const {
        return kernels::rows::has_rows(program_.values[v].extent);
    }

    template <typename Wanted>
    void load_where(const Tile& tile, int buffer, const Wanted& wanted) const {
        for (std::size_t v = 0; v < program_.values.size(); ++v) {
            if (program_.values[v].stored && wanted(v)) transfers_.load(v, tile, buffer);
        }
    }

    /// Index of the first command that reads values shared by all tiles; 0: none does.
    std::size_t first_shared() const {
        const auto at =
            std::find_if(program_.commands.begin(), program_.commands.end(),
                         [&](const RowCommand& command) { return reads_shared(command); });
        return at == program_.commands.end()
                   ? 0
                   : static_cast<std::size_t>(at - program_.commands.begin());
    }

    /// True if no command before that one reads the value.
    bool is_late(std::size_t v) const {
        return std::none_of(program_.commands.begin(),
                            program_.commands.begin() + static_cast<long>(split_),
                            [&](const RowCommand& command) {
                                return std::find(command.operands.begin(), command.operands.end(),
                                                 static_cast<int>(v)) != command.operands.end();
                            });
    }

    /// Returns a value as an operand of a command. Values without rows are in every lane.
    RowOperand value_of(int value, const RowCommand& command, const Tile& tile, int buffer) const {
        const RowValue& own = program_.values[static_cast<std::size_t>(value)];
        const RowExtent extent = program_.values[static_cast<std::size_t>(command.result)].extent;
        RowOperand operand;
        operand.type = own.type;
        operand.address = transfers_.place(value, buffer);
        operand.shape = {1, kernels::rows::has_rows(extent) ? tile.rows : plan_.lanes.count, 1,
                         static_cast<int>(columns_of(program_, own))};
        operand.stride = {0, kernels::rows::has_rows(own.extent) ? transfers_.slot_stride(own) : 0,
                          0, has_columns(own.extent) ? 1 : 0};
        return operand;
    }

    /// Multiplies by the matrix of the tile. The rows of all lanes belong to one matrix: they are
    /// output channels, and the elements of a row are their weights.
    void multiply(const RowCommand& command, const RowOperands& operands, const Tile& tile) const {
        const RowValue& right = program_.values[static_cast<std::size_t>(command.operands[1])];
        const RowOperand& to = operands.result;
        const RowOperand& rows = operands.sources[0];
        const int count = plan_.lanes.count;
        const std::int64_t matrix_bytes =
            plan_.lanes.slots(right.channels) * transfers_.slot_stride(right);
        const dim4 shape{1, static_cast<int>(right.channels), 1, static_cast<int>(right.columns)};
        const std::int64_t first = tile.first / program_.matrix_rows;
        for (int slot = 0; slot * count < tile.rows; ++slot) {
            const std::int64_t matrix =
                (tile.first + std::int64_t{slot} * count) / program_.matrix_rows - first;
            const auto behind = [&](const RowOperand& operand) {
                return operand.address + static_cast<local_addr_t>(slot * operand.stride.c *
                                                                   element_bytes(operand.type));
            };
            okk_bdc_int_conv2d(
                behind(to),
                operands.sources[1].address + static_cast<local_addr_t>(matrix * matrix_bytes),
                behind(rows), 0, 0, &shape, count, 1, 1, false, false, false, nullptr, nullptr,
                nullptr, to.type, rows.type, command.scale.input_zp, command.amount, 0, 0, 0,
                false);
        }
    }

    RowExtent extent_of(int value) const {
        return program_.values[static_cast<std::size_t>(value)].extent;
    }

    bool reads_shared(const RowCommand& command) const {
        return std::any_of(command.operands.begin(), command.operands.end(), [&](int operand) {
            if (operand < 0) return false;
            const RowValue& value = program_.values[static_cast<std::size_t>(operand)];
            return value.stored && !kernels::rows::has_rows(value.extent);
        });
    }

    /// Returns the elements per channel into which rows are cut; 0: not possible. A command that
    /// repeats an element along a row starts late. One that repeats a few elements for all channels
    /// of a lane does not. Operands with one element per row get one copy per element of a channel.
    int part_of_row(const Tile& tile) const {
        if (tile.rows % plan_.lanes.count != 0) return 0;
        for (int part = 1; part <= plan_.lanes.line_words / 2; part *= 2) {
            if (program_.columns % part != 0) return 0;
            if (program_.columns / part * plan_.lanes.count <= isa::kMostChannels) return part;
        }
        return 0;
    }

    RowOperands laid_out(const RowCommand& command, const RowOperands& operands, const Tile& tile) {
        const auto repeats = [&](int value) {
            return value >= 0 && extent_of(value) == RowExtent::kRows;
        };
        const auto whole_or_repeated = [&](int value) {
            return value < 0 || has_rows(static_cast<std::size_t>(value));
        };
        const auto& sources = command.operands;
        const int part = part_of_row(tile);
        if (part == 0 || extent_of(command.result) != RowExtent::kFull ||
            command.function == RowFunction::kLookUp8 ||
            command.function == RowFunction::kLookUp16 ||
            std::none_of(sources.begin(), sources.end(), repeats) ||
            !std::all_of(sources.begin(), sources.end(), whole_or_repeated)) {
            return operands;
        }
        const int slots = tile.rows / plan_.lanes.count;
        const auto channels = static_cast<int>(program_.columns / part * plan_.lanes.count);
        const auto in_parts = [&](RowOperand operand, int step) {
            operand.shape = {slots, channels, 1, part};
            operand.stride = {operand.stride.c, step, part, 1};
            return operand;
        };
        RowOperands laid{in_parts(operands.result, part), {}};
        for (std::size_t k = 0; k < sources.size(); ++k) {
            if (sources[k] < 0) continue;
            if (repeats(sources[k])) spread(sources[k], operands.sources[k], part);
            laid.sources[k] = in_parts(operands.sources[k], repeats(sources[k]) ? 0 : part);
        }
        return laid;
    }

    /// Doubles the copies of a row's element until there are `count`. Its line has room for them.
    void spread(int value, const RowOperand& element, int count) {
        int& copies = spread_[static_cast<std::size_t>(value)];
        for (; copies < count; copies *= 2) {
            RowOperand from = element;
            from.shape.w = copies;
            from.stride.w = 1;
            RowOperand to = from;
            to.address += static_cast<local_addr_t>(copies * element_bytes(element.type));
            copy(to, from);
        }
    }

    /// Combines the result of a command's check with the violations: no bits, or sign bits of
    /// violations.
    void check(const RowCommand& command, const RowOperands& operands) {
        const bool looks_at_amount = command.check == RowCheck::kAmount;
        const RowOperand& looked = looks_at_amount ? operands.sources[1] : operands.result;
        dim4 shape = looked.shape;
        const int value = looks_at_amount ? command.operands[1] : command.result;
        if (!has_rows(static_cast<std::size_t>(value))) shape.c = plan_.lanes.count;
        const LocalTensor found{plan_.violations, shape, looked.stride};
        const LocalTensor other{plan_.other, shape, looked.stride};
        find_violations(command, operands, other);
        prim::raw::bit_or(found, found, other);
    }

    const RowPlan& plan_;
    const RowProgram& program_;
    RowTransfers transfers_;
    std::size_t split_;        ///< first_shared()
    std::vector<int> spread_;  ///< by value: copies of an element in a row
};

}  // namespace

void run_rows(const OperatorCall& call, const RowPlan& plan, std::int64_t most) {
    charge(OwnWork::kTileLoops);
    RowRun run(call, plan);
    const Tile first_tile{0,
                          static_cast<std::int32_t>(std::min(plan.tile_rows, plan.program.rows))};
    run.begin(first_tile);
    if (plan.tiles() == 1) {
        run.compute(first_tile, 0);
        run.store(first_tile, 0);
        return;
    }
    TilePipeline<Tile, RowRun> pipeline(run);
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < most && first < plan.program.rows; ++i) {
        const std::int64_t rows = std::min(plan.tile_rows, plan.program.rows - first);
        pipeline.push({first, static_cast<std::int32_t>(rows)});
        first += rows;
    }
    pipeline.finish();
}

}  // namespace okksim::kernels::rows
