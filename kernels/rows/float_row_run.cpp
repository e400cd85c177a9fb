// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/float_row_run.h"

#include <algorithm>
#include <array>
#include <optional>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/pointwise/float_body.h"
#include "kernels/prim/raw.h"
#include "kernels/reduction/combiner.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels::rows {
namespace {

using prim::LocalTensor;
using prim::Scratch;
namespace raw = prim::raw;

/// Some blocks, or some pieces of one block.
struct FloatTile {
    std::int64_t block = 0, piece = 0;
    std::int32_t blocks = 1, pieces = 1;
    bool is_first() const { return block == 0 && piece == 0; }
};

using Arithmetic = void (*)(const LocalTensor&, const LocalTensor&, const LocalTensor&);

/// Operators whose body is one command.
Arithmetic arithmetic(tosa::OpCode op) {
    switch (op) {
        case tosa::OpCode::kAdd: return raw::add;
        case tosa::OpCode::kSub: return raw::subtract;
        case tosa::OpCode::kMul: return raw::multiply;
        default: return nullptr;
    }
}

class FloatRowStages {
 public:
    FloatRowStages(const OperatorCall& call, const FloatRowPlan& plan)
        : call_(call), plan_(plan), program_(plan.program) {
        for (const FloatRowCommand& command : program_.commands) {
            const bool is_body =
                command.function == FloatRowFunction::kBody && !arithmetic(command.op);
            const tosa::Attributes* attributes =
                command.member == 0 ? call.attributes
                                    : call.followers[command.member - 1].attributes;
            bodies_.push_back(is_body ? float_body(command.op, *attributes, tosa::DType::kFp32)
                                      : std::nullopt);
        }
    }

    void load(const FloatTile& tile, int buffer) const {
        charge(OwnWork::kTile);
        for (std::size_t v = 0; v < program_.values.size(); ++v) {
            const FloatRowValue& value = program_.values[v];
            if (!value.stored || (!tile.is_first() && !has_rows(value.extent))) continue;
            const DeviceTensor& from = input(*value.stored);
            const RowStrides& strides = value.stored->strides;
            if (value.channels > 0) {
                load_matrices(value, from, place(v, buffer), tile);
                continue;
            }
            for_each_part(value, strides, tile, [&](const FloatTile& part, int offset) {
                conv::load_block(place(v, buffer) + static_cast<local_addr_t>(offset),
                                 address(from, strides, part), transfer(value, strides, part));
            });
        }
    }

    void compute(const FloatTile& tile, int buffer) const {
        for (std::size_t i = 0; i < program_.commands.size(); ++i) {
            const FloatRowCommand& command = program_.commands[i];
            const auto result = static_cast<std::size_t>(command.result);
            if (!tile.is_first() && !has_rows(program_.values[result].extent)) continue;
            issue(i, tile, buffer);
        }
    }

    void store(const FloatTile& tile, int buffer) const {
        const auto result = static_cast<std::size_t>(program_.commands.back().result);
        const FloatRowValue& value = program_.values[result];
        for_each_part(value, program_.result, tile, [&](const FloatTile& part, int offset) {
            conv::store_block(address(call_.outputs[0], program_.result, part),
                              place(result, buffer) + static_cast<local_addr_t>(offset),
                              transfer(value, program_.result, part));
        });
    }

 private:
    const DeviceTensor& input(const StoredValue& stored) const {
        return stored.member == 0 ? call_.inputs[stored.input]
                                  : call_.followers[stored.member - 1].inputs[stored.input];
    }

    local_addr_t place(std::size_t value, int buffer) const {
        return plan_.places[value] + static_cast<std::uint32_t>(buffer) * plan_.second_place[value];
    }

    /// Calls `move` for each command of a value's tile, with its part of the tile and its byte
    /// offset from the value's address.
    template <typename Move>
    void for_each_part(const FloatRowValue& value, const RowStrides& strides, const FloatTile& tile,
                       const Move& move) const {
        const bool are_apart = plan_.blocks_apart || !(are_alike(strides, tile) ||
                                                       has_two_distances(value, strides, tile));
        if (!are_apart || !has_rows(value.extent)) return move(tile, 0);
        const auto block_words =
            static_cast<int>(plan_.lanes.slots(tile.pieces)) * plane_words(value);
        FloatTile part = tile;
        part.blocks = 1;
        for (std::int32_t b = 0; b < tile.blocks; ++b, ++part.block) {
            move(part, b * block_words * isa::kWordBytes);
        }
    }

    /// True if all blocks of the tile have one distance.
    static bool are_alike(const RowStrides& strides, const FloatTile& tile) {
        return strides.blocks == 0 || tile.block % strides.blocks + tile.blocks <= strides.blocks;
    }
    /// True if they have two distances and planes of one line, which leave a dimension of commands
    /// free.
    bool has_two_distances(const FloatRowValue& value, const RowStrides& strides,
                           const FloatTile& tile) const {
        return plan_.plane(value).h == 1 && tile.block % strides.blocks == 0 &&
               tile.blocks % strides.blocks == 0;
    }

    std::uint64_t address(const DeviceTensor& tensor, const RowStrides& strides,
                          const FloatTile& tile) const {
        const std::int64_t elements =
            strides.of_block(tile.block) + tile.piece * plan_.layout.share * strides.row;
        return tensor.address + static_cast<std::uint64_t>(elements * isa::kWordBytes);
    }

    int plane_words(const FloatRowValue& value) const {
        return static_cast<int>(plan_.plane_words(value));
    }

    const FloatRowValue& value_of(int value) const {
        return program_.values[static_cast<std::size_t>(value)];
    }

    dim4 shape_of(const FloatRowValue& value, const FloatTile& tile) const {
        const dim2 plane = plan_.plane(value);
        if (has_rows(value.extent)) return {tile.blocks, tile.pieces, plane.h, plane.w};
        // In every lane that has pieces.
        const auto lanes = std::min<std::int64_t>(plan_.tile_pieces, plan_.lanes.count);
        return {1, static_cast<int>(lanes), plane.h, plane.w};
    }

    conv::BlockTransfer transfer(const FloatRowValue& value, const RowStrides& strides,
                                 const FloatTile& tile) const {
        const dim2 plane = plan_.plane(value);
        const int words = plane_words(value);
        conv::BlockTransfer block;
        block.shape = shape_of(value, tile);
        block.system = {strides.block, plan_.layout.share * strides.row, strides.row,
                        strides.column};
        if (!plan_.layout.rows_are_lines) std::swap(block.system[2], block.system[3]);
        block.local = {plan_.lanes.slots(tile.pieces) * words, words, plane.w, 1};
        if (has_rows(value.extent) && !are_alike(strides, tile)) {
            block.shape.n = static_cast<int>(tile.blocks / strides.blocks);
            block.shape.h = static_cast<int>(strides.blocks);
            block.system[0] = strides.outer;
            block.system[2] = strides.block;
            block.local[2] = block.local[0];
            block.local[0] *= strides.blocks;
        }
        return block;
    }

    /// Loads the right factors of the tile's blocks.
    void load_matrices(const FloatRowValue& value, const DeviceTensor& from, local_addr_t to,
                       const FloatTile& tile) const {
        const RowStrides& strides = value.stored->strides;
        const std::int64_t line = plan_.plane_words(value);
        conv::BlockTransfer block;
        block.shape = {tile.blocks, static_cast<int>(value.channels), 1,
                       static_cast<int>(value.columns)};
        block.system = {strides.block, strides.row, 0, strides.column};
        block.local = {plan_.lanes.slots(value.channels) * line, line, 0, 1};
        const std::int64_t first = tile.block * strides.block * isa::kWordBytes;
        conv::load_block(to, from.address + static_cast<std::uint64_t>(first), block);
    }

    /// Returns a value as an operand of a command whose result is `other`. Missing dimensions are
    /// broadcast.
    LocalTensor operand(int value, const FloatRowValue& other, const FloatTile& tile,
                        int buffer) const {
        const FloatRowValue& own = value_of(value);
        LocalTensor tensor{place(static_cast<std::size_t>(value), buffer), shape_of(other, tile),
                           std::nullopt};
        if (own.extent == other.extent) return tensor;
        const dim2 plane = plan_.plane(own);
        const int words = plane_words(own);
        const bool rows = has_rows(own.extent);
        tensor.stride = dim4{rows ? static_cast<int>(plan_.lanes.slots(tile.pieces)) * words : 0,
                             rows ? words : 0, plane.h > 1 ? plane.w : 0, plane.w > 1 ? 1 : 0};
        return tensor;
    }

    /// Multiplies a block's rows, as weights of output channels in pairs of words (2IC mode), by a
    /// matrix.
    void multiply(const FloatRowCommand& command, const FloatTile& tile, int buffer) const {
        const FloatRowValue& rows = value_of(command.operands[0]);
        const FloatRowValue& matrix = value_of(command.operands[1]);
        const FloatRowValue& result = value_of(command.result);
        const auto place_of = [&](int value) {
            return place(static_cast<std::size_t>(value), buffer);
        };
        const auto bytes_of = [&](const FloatRowValue& value, std::int64_t channels) {
            return static_cast<local_addr_t>(plan_.lanes.slots(channels) *
                                             plan_.plane_words(value) * isa::kWordBytes);
        };
        const dim4 shape{1, static_cast<int>(matrix.channels), 1, static_cast<int>(matrix.columns)};
        const dim4 pairs{1, plane_words(rows) / 2, 1, 1};
        for (local_addr_t b = 0; b < static_cast<local_addr_t>(tile.blocks); ++b) {
            charge(OwnWork::kRowCommand);
            okk_bdc_conv2d(place_of(command.result) + b * bytes_of(result, tile.pieces),
                           place_of(command.operands[1]) + b * bytes_of(matrix, matrix.channels),
                           place_of(command.operands[0]) + b * bytes_of(rows, tile.pieces), 0,
                           &shape, tile.pieces, 1, 1, nullptr, &pairs, false, false, nullptr,
                           nullptr, nullptr);
        }
    }

    void issue(std::size_t index, const FloatTile& tile, int buffer) const {
        charge(OwnWork::kRowCommand);
        const FloatRowCommand& command = program_.commands[index];
        if (command.function == FloatRowFunction::kProduct) return multiply(command, tile, buffer);
        const FloatRowValue& result = value_of(command.result);
        const LocalTensor to = operand(command.result, result, tile, buffer);
        Scratch scratch(plan_.scratch, plan_.scratch_bytes, plan_.lanes);
        if (command.function == FloatRowFunction::kLargest ||
            command.function == FloatRowFunction::kSum) {
            return reduce(
                command, to,
                operand(command.operands[0], value_of(command.operands[0]), tile, buffer));
        }
        std::array<LocalTensor, 2> sources;
        std::size_t count = 0;
        for (const int value : command.operands) {
            if (value >= 0) sources[count++] = operand(value, result, tile, buffer);
        }
        switch (command.function) {
            case FloatRowFunction::kBody:
                if (const Arithmetic one = arithmetic(command.op)) {
                    return one(to, sources[0], sources[1]);
                }
                return bodies_[index]->run(to, std::span(sources).first(count), scratch);
            case FloatRowFunction::kAddConstant: return raw::add(to, sources[0], command.constant);
            case FloatRowFunction::kSubtractFrom:
                return raw::subtract_from(to, sources[0], command.constant);
            case FloatRowFunction::kMultiplyConstant:
                return raw::multiply(to, sources[0], command.constant);
            case FloatRowFunction::kPower:
                return prim::power_of_difference(to, sources[0], plan_.power_steps, scratch);
            case FloatRowFunction::kShare: return raw::reciprocal_estimate(to, sources[0]);
            case FloatRowFunction::kLargest:
            case FloatRowFunction::kSum:
            case FloatRowFunction::kProduct: break;
        }
        OKKSIM_CHECK(false);
    }

    /// Reduces by windows along the columns, in one step or two.
    void reduce(const FloatRowCommand& command, const LocalTensor& to, LocalTensor from) const {
        const bool is_sum = command.function == FloatRowFunction::kSum;
        const Combiner combiner(is_sum ? Combination::kFloatSum : Combination::kPlainMaximum,
                                prim::NanMode::kPropagate);
        const auto columns = static_cast<int>(program_.columns);
        WindowShape window;
        if (plan_.layout.fold > 0) {
            const auto fold = static_cast<int>(plan_.layout.fold);
            from.shape.h = columns / fold;
            from.shape.w = fold;
            window.height = columns / fold;
            const LocalTensor half{
                plan_.scratch, {from.shape.n, from.shape.c, 1, fold}, std::nullopt};
            combiner.combine_window(half, from, window);
            window.height = 1;
            window.width = fold;
            return combiner.combine_window(to, half, window);
        }
        (plan_.layout.rows_are_lines ? window.width : window.height) = columns;
        combiner.combine_window(to, from, window);
    }

    const OperatorCall& call_;
    const FloatRowPlan& plan_;
    const FloatRowProgram& program_;
    std::vector<std::optional<FloatBody>> bodies_;
};

}  // namespace

void run_float_rows(const OperatorCall& call, const FloatRowPlan& plan, std::int64_t most) {
    charge(OwnWork::kTileLoops);
    FloatRowStages stages(call, plan);
    TilePipeline<FloatTile, FloatRowStages> pipeline(stages);
    FloatTile tile;
    for (tile.block = 0; tile.block < plan.blocks(); tile.block += plan.tile_blocks) {
        tile.blocks =
            static_cast<std::int32_t>(std::min(plan.tile_blocks, plan.blocks() - tile.block));
        for (tile.piece = 0; tile.piece < plan.pieces(); tile.piece += plan.tile_pieces) {
            if (most-- == 0) return pipeline.finish();
            tile.pieces =
                static_cast<std::int32_t>(std::min(plan.tile_pieces, plan.pieces() - tile.piece));
            pipeline.push(tile);
        }
    }
    pipeline.finish();
}

}  // namespace okksim::kernels::rows
