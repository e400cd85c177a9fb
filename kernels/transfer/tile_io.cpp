// SPDX-License-Identifier: Apache-2.0
#include "kernels/transfer/tile_io.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "isa/layout.h"
#include "kernels/transfer/element_copy.h"

namespace okksim::kernels {
namespace {

using isa::narrow;
using prim::LocalTensor;
using tosa::DType;

/// Elements from one channel of a packed tile to the next in the same lane.
std::int64_t channel_step(const dim4& shape, int element_bytes, const Lanes& lanes) {
    const std::int64_t elements = std::int64_t{shape.h} * shape.w;
    return lanes.whole_line_bytes(elements * element_bytes) / element_bytes;
}

/// One GDMA command: its shape and the strides of both sides in units of `element_bytes`.
struct Transfer {
    int element_bytes;
    dim4 shape;
    dim4 local;
    dim4 system;
};

/// The GDMA needs stride 1 in w on both sides. Other strides use another dimension. Elements of
/// eight bytes are pairs of words.
Transfer plan_transfer(TileOperand block, const Lanes& lanes) {
    const int bytes = stored_bytes(block.type);
    const int channel = narrow(channel_step(block.shape(), bytes, lanes));
    if (block.w == 1 && block.h_stride == 1) {
        std::swap(block.w, block.h);
        std::swap(block.w_stride, block.h_stride);
    }
    const auto step = [](std::int32_t extent, std::int64_t stride) {
        return extent == 1 ? 0 : narrow(stride);
    };
    const int c_step = step(block.c, block.c_stride);
    const int h_step = step(block.h, block.h_stride);
    const int w_step = step(block.w, block.w_stride);
    const int w = block.w;
    if (bytes == 8) {
        if (w == 1 || w_step == 1) {
            return {4,
                    {1, block.c, block.h, 2 * w},
                    {0, 2 * channel, 2 * w, 1},
                    {0, 2 * c_step, 2 * h_step, 1}};
        }
        return {4,
                {block.h, block.c, w, 2},
                {2 * w, 2 * channel, 2, 1},
                {2 * h_step, 2 * c_step, 2 * w_step, 1}};
    }
    if (w == 1 || w_step == 1) {
        return {bytes, {1, block.c, block.h, w}, {0, channel, w, 1}, {0, c_step, h_step, 1}};
    }
    return {bytes, {block.h, block.c, w, 1}, {w, channel, 1, 1}, {h_step, c_step, w_step, 1}};
}

TileOperand loaded_block(const TileOperand& operand, const Lanes& lanes) {
    TileOperand block = operand;
    const dim4 shape = loaded_shape(operand, lanes);
    block.c = shape.c;
    block.h = shape.h;
    block.w = shape.w;
    return block;
}

/// A tensor of the operand's shape over words of its loaded shape, with stride `word_step` along w.
LocalTensor view(local_addr_t address, const TileOperand& operand, int word_step,
                 const Lanes& lanes) {
    const dim4 loaded = loaded_shape(operand, lanes);
    const dim4 shape = operand.shape();
    const bool whole = loaded.c == shape.c && loaded.h == shape.h && loaded.w == shape.w;
    if (whole && word_step == 1) return {address, shape, std::nullopt};
    const int channel = static_cast<int>(channel_step(loaded, 4 * word_step, lanes)) * word_step;
    return {address, shape,
            dim4{0, loaded.c < shape.c ? 0 : channel, loaded.h < shape.h ? 0 : loaded.w * word_step,
                 loaded.w < shape.w ? 0 : word_step}};
}

/// True for transfers of single elements with a larger stride of h than of c in system memory. A
/// command in the order n, c, h then jumps back for every element of h and restarts.
bool goes_back(const Transfer& move) {
    return move.shape.w == 1 && move.shape.h > 1 && move.shape.c > 1 && move.system.c != 0 &&
           std::abs(move.system.h) > std::abs(move.system.c);
}

/// The transfer with h outside c.
Transfer with_h_outside(Transfer move) {
    move.shape.n = std::exchange(move.shape.h, 1);
    move.local.n = move.local.h;
    move.system.n = move.system.h;
    return move;
}

/// Calls `issue` with the byte offsets of a command's addresses and the command. There is one
/// command, or one for every n if that is faster.
template <typename Issue>
void for_each_command(const Transfer& move, const Issue& issue) {
    const bool is_large = std::int64_t{move.shape.h} * move.shape.c >= kElementsOfOwnCommand;
    if (!goes_back(move) || (move.shape.n > 1 && !is_large)) return issue(0, 0, move);
    const Transfer one = with_h_outside(move);
    for (std::int64_t i = 0; i < move.shape.n; ++i) {
        issue(i * move.system.n * move.element_bytes, i * move.local.n * move.element_bytes, one);
    }
}

void issue_load(local_addr_t packed, std::uint64_t address, const Transfer& move) {
    for_each_command(move, [&](std::int64_t system, std::int64_t local, const Transfer& one) {
        load_command(one.element_bytes)(packed + static_cast<local_addr_t>(local),
                                        address + static_cast<std::uint64_t>(system), &one.shape,
                                        &one.local, &one.system);
    });
}

}  // namespace

TileOperand tile_operand(const DeviceTensor& tensor, const NdTile& tile, std::size_t index) {
    const NdTile::Operand& operand = tile.operands[index];
    return {tensor.address + static_cast<std::uint64_t>(operand.offset * stored_bytes(tensor.type)),
            tensor.type,
            tile.c,
            tile.h,
            tile.w,
            operand.c_stride,
            operand.h_stride,
            operand.w_stride};
}

dim4 loaded_shape(const TileOperand& operand, const Lanes& lanes) {
    return {1, operand.c_stride == 0 ? std::min(operand.c, lanes.count) : operand.c,
            operand.h_stride == 0 ? 1 : operand.h, operand.w_stride == 0 ? 1 : operand.w};
}

std::uint32_t packed_tile_bytes(DType type, const dim4& shape, const Lanes& lanes) {
    return prim::packed_bytes(shape, 8 * stored_bytes(type), lanes);
}

dim4 packed_shape(DType type, const dim4& shape) {
    const int bytes = shape.h * shape.w * stored_bytes(type);
    return {shape.n, shape.c, 1, (bytes + 3) / 4};
}

void load_packed(local_addr_t packed, const TileOperand& operand, const Lanes& lanes) {
    issue_load(packed, operand.address, plan_transfer(loaded_block(operand, lanes), lanes));
}

void load_packed(local_addr_t packed, std::uint32_t packed_step, const TileOperand& operand,
                 std::int64_t step, int copies, const Lanes& lanes) {
    Transfer move = plan_transfer(loaded_block(operand, lanes), lanes);
    const std::int64_t step_bytes = step * stored_bytes(operand.type);
    if (move.shape.n == 1) {
        move.shape.n = copies;
        move.local.n = narrow(packed_step) / move.element_bytes;
        move.system.n = narrow(step_bytes / move.element_bytes);
        issue_load(packed, operand.address, move);
        return;
    }
    for (int copy = 0; copy < copies; ++copy) {
        const auto index = static_cast<std::uint32_t>(copy);
        issue_load(packed + index * packed_step,
                   operand.address + index * static_cast<std::uint64_t>(step_bytes), move);
    }
}

void store_packed(const TileOperand& operand, local_addr_t packed, const Lanes& lanes) {
    for_each_command(plan_transfer(operand, lanes), [&](std::int64_t system, std::int64_t local,
                                                        const Transfer& one) {
        store_command(one.element_bytes)(operand.address + static_cast<std::uint64_t>(system),
                                         packed + static_cast<local_addr_t>(local), &one.shape,
                                         &one.system, &one.local);
    });
}

LocalTensor word_view(local_addr_t words, const TileOperand& operand, const Lanes& lanes) {
    return view(words, operand, 1, lanes);
}

prim::WideTensor wide_tile(local_addr_t packed, const TileOperand& operand, const Lanes& lanes) {
    OKKSIM_CHECK(stored_bytes(operand.type) == 8);
    return {view(packed, operand, 2, lanes), view(packed + 4, operand, 2, lanes)};
}

}  // namespace okksim::kernels
