// SPDX-License-Identifier: Apache-2.0
#include "kernels/tile_io.h"

#include <algorithm>
#include <limits>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/prim/float_formats.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;
using tosa::DType;

int narrow(std::int64_t value) {
    OKKSIM_CHECK(value >= 0 && value <= std::numeric_limits<int>::max());
    return static_cast<int>(value);
}

/// Elements from one channel of a packed tile to the next in the same lane.
std::int64_t channel_step(const dim4& shape, int element_bytes) {
    const std::int64_t elements = std::int64_t{shape.h} * shape.w;
    return isa::align_up(elements * element_bytes, std::int64_t{128}) / element_bytes;
}

/// One data-mover command: its shape and the strides of both sides in units of `element_bytes`.
struct Transfer {
    int element_bytes;
    dim4 shape;
    dim4 local;
    dim4 system;
};

/// The data mover walks w in single steps on both sides; what does not is moved to another
/// dimension. Elements of eight bytes are pairs of words.
Transfer plan_transfer(TileOperand block) {
    const int bytes = stored_bytes(block.type);
    const int channel = narrow(channel_step(block.shape(), bytes));
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

TileOperand loaded_block(const TileOperand& operand) {
    TileOperand block = operand;
    const dim4 shape = loaded_shape(operand, okk_npu_num());
    block.c = shape.c;
    block.h = shape.h;
    block.w = shape.w;
    return block;
}

/// A tensor of the operand's shape over words of its loaded shape whose neighbours along w lie
/// `word_step` apart.
LocalTensor view(local_addr_t address, const TileOperand& operand, int word_step, int lanes) {
    const dim4 loaded = loaded_shape(operand, lanes);
    const dim4 shape = operand.shape();
    const bool whole = loaded.c == shape.c && loaded.h == shape.h && loaded.w == shape.w;
    if (whole && word_step == 1) return {address, shape, std::nullopt};
    const int channel = static_cast<int>(channel_step(loaded, 4 * word_step)) * word_step;
    return {address, shape,
            dim4{0, loaded.c < shape.c ? 0 : channel, loaded.h < shape.h ? 0 : loaded.w * word_step,
                 loaded.w < shape.w ? 0 : word_step}};
}

void issue_load(local_addr_t packed, std::uint64_t address, const Transfer& move) {
    switch (move.element_bytes) {
        case 1:
            okk_gdma_8bit_cpy_S2L(packed, address, &move.shape, &move.local, &move.system);
            return;
        case 2:
            okk_gdma_16bit_cpy_S2L(packed, address, &move.shape, &move.local, &move.system);
            return;
        default: okk_gdma_32bit_cpy_S2L(packed, address, &move.shape, &move.local, &move.system);
    }
}

bool is_signed(WordForm form) { return form == WordForm::kValue || form == WordForm::kFloat; }
bool is_float(WordForm form) {
    return form == WordForm::kFloat || form == WordForm::kUnsignedFloat;
}

void widen_byte_float(const LocalTensor& dst, DType type, Scratch& scratch) {
    if (type == DType::kFp8E4M3) {
        prim::fp8e4m3_to_float(dst, dst, scratch);
    } else {
        prim::fp8e5m2_to_float(dst, dst, scratch);
    }
}

void widen_bytes(const LocalTensor& dst, local_addr_t packed, DType type, WordForm form,
                 Scratch& scratch) {
    if (form == WordForm::kBits || type == DType::kBool || tosa::is_floating_point(type)) {
        prim::unpack_8bit(dst, packed, false, scratch);
        if (form == WordForm::kBits) return;
        if (tosa::is_floating_point(type)) widen_byte_float(dst, type, scratch);
        if (type == DType::kBool && is_float(form)) prim::small_int32_to_float(dst, dst);
    } else if (is_float(form)) {
        prim::unpack_8bit_to_float(dst, packed, is_signed(form), scratch);
    } else {
        prim::unpack_8bit(dst, packed, is_signed(form), scratch);
    }
}

void widen_halves(const LocalTensor& dst, local_addr_t packed, DType type, WordForm form,
                  Scratch& scratch) {
    if (form == WordForm::kBits || type != DType::kI16) {
        prim::unpack_16bit(dst, packed, false, scratch);
        if (form == WordForm::kBits) return;
        if (type == DType::kFp16) {
            prim::fp16_to_float(dst, dst, scratch);
        } else {
            prim::bf16_to_float(dst, dst);
        }
    } else if (is_float(form)) {
        prim::unpack_16bit_to_float(dst, packed, is_signed(form), scratch);
    } else {
        prim::unpack_16bit(dst, packed, is_signed(form), scratch);
    }
}

void narrow_bytes(local_addr_t packed, const LocalTensor& words, DType type, WordForm form,
                  Scratch& scratch) {
    const bool integer = type == DType::kI8 || type == DType::kI4;
    if (integer && form == WordForm::kFloat) {
        prim::pack_float_to_8bit(packed, words, scratch);
    } else if ((integer || type == DType::kBool) && is_float(form)) {
        prim::pack_float_to_unsigned_8bit(packed, words, scratch);
    } else {
        if (type == DType::kFp8E4M3 && form != WordForm::kBits) {
            prim::float_to_fp8e4m3(words, words, scratch);
        } else if (type == DType::kFp8E5M2 && form != WordForm::kBits) {
            prim::float_to_fp8e5m2(words, words, scratch);
        }
        prim::pack_8bit(packed, words, scratch);
    }
}

void narrow_halves(local_addr_t packed, const LocalTensor& words, DType type, WordForm form,
                   Scratch& scratch) {
    if (type == DType::kFp16 && form != WordForm::kBits) {
        prim::float_to_fp16(words, words, scratch);
    } else if (type == DType::kBf16 && form != WordForm::kBits) {
        prim::float_to_bf16(words, words, scratch);
    } else if (type == DType::kI16 && is_float(form)) {
        prim::raw::to_int32(words, words);
    }
    prim::pack_16bit(packed, words, scratch);
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

dim4 loaded_shape(const TileOperand& operand, int lanes) {
    return {1, operand.c_stride == 0 ? std::min(operand.c, lanes) : operand.c,
            operand.h_stride == 0 ? 1 : operand.h, operand.w_stride == 0 ? 1 : operand.w};
}

std::uint32_t packed_tile_bytes(DType type, const dim4& shape, int lanes) {
    return prim::packed_bytes(shape, 8 * stored_bytes(type), lanes);
}

dim4 packed_shape(DType type, const dim4& shape) {
    const int bytes = shape.h * shape.w * stored_bytes(type);
    return {shape.n, shape.c, 1, (bytes + 3) / 4};
}

bool needs_words(DType type, WordForm form) {
    if (form == WordForm::kPacked) return false;
    return stored_bytes(type) < 4 || (type == DType::kI32 && is_float(form));
}

int widen_planes(DType type, WordForm form) {
    if (form == WordForm::kBits || form == WordForm::kPacked) return 0;
    if (type == DType::kI32 && is_float(form)) return prim::kInt32ToFloatPlanes;
    const bool narrow_float = tosa::is_floating_point(type) && stored_bytes(type) < 4;
    return narrow_float && type != DType::kBf16 ? prim::kWidenPlanes : 0;
}

int narrow_planes(DType type, WordForm form) {
    if (stored_bytes(type) >= 4 || form == WordForm::kPacked) return 0;
    const bool rounds = tosa::is_floating_point(type) && form != WordForm::kBits;
    return rounds ? std::max(prim::kNarrowPlanes, prim::kPackPlanes) : prim::kPackPlanes;
}

void load_packed(local_addr_t packed, const TileOperand& operand) {
    issue_load(packed, operand.address, plan_transfer(loaded_block(operand)));
}

void load_packed(local_addr_t packed, std::uint32_t packed_step, const TileOperand& operand,
                 std::int64_t step, int copies) {
    Transfer move = plan_transfer(loaded_block(operand));
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

void store_packed(const TileOperand& operand, local_addr_t packed) {
    const Transfer move = plan_transfer(operand);
    switch (move.element_bytes) {
        case 1:
            okk_gdma_8bit_cpy_L2S(operand.address, packed, &move.shape, &move.system, &move.local);
            return;
        case 2:
            okk_gdma_16bit_cpy_L2S(operand.address, packed, &move.shape, &move.system, &move.local);
            return;
        default:
            okk_gdma_32bit_cpy_L2S(operand.address, packed, &move.shape, &move.system, &move.local);
    }
}

LocalTensor widen_tile(local_addr_t words, local_addr_t packed, const TileOperand& operand,
                       WordForm form, Scratch& scratch) {
    const int bytes = stored_bytes(operand.type);
    OKKSIM_CHECK(bytes <= 4);
    const int lanes = scratch.lanes();
    const dim4 shape = loaded_shape(operand, lanes);
    if (form == WordForm::kPacked) {
        OKKSIM_CHECK(shape.c == operand.c && shape.h == operand.h && shape.w == operand.w);
        return {packed, packed_shape(operand.type, shape), std::nullopt};
    }
    if (!needs_words(operand.type, form)) return view(packed, operand, 1, lanes);
    const LocalTensor dst{words, shape, std::nullopt};
    if (bytes == 1) {
        widen_bytes(dst, packed, operand.type, form, scratch);
    } else if (bytes == 2) {
        widen_halves(dst, packed, operand.type, form, scratch);
    } else {
        prim::int32_to_float(dst, {packed, shape, std::nullopt}, scratch);
    }
    return view(words, operand, 1, lanes);
}

LocalTensor word_view(local_addr_t words, const TileOperand& operand, int lanes) {
    return view(words, operand, 1, lanes);
}

prim::WideTensor wide_tile(local_addr_t packed, const TileOperand& operand, int lanes) {
    OKKSIM_CHECK(stored_bytes(operand.type) == 8);
    return {view(packed, operand, 2, lanes), view(packed + 4, operand, 2, lanes)};
}

void narrow_tile(local_addr_t packed, const LocalTensor& words, DType type, WordForm form,
                 Scratch& scratch) {
    OKKSIM_CHECK(form != WordForm::kPacked);
    switch (stored_bytes(type)) {
        case 1: narrow_bytes(packed, words, type, form, scratch); return;
        case 2: narrow_halves(packed, words, type, form, scratch); return;
        case 4: break;
        default: OKKSIM_CHECK(false);
    }
    const LocalTensor dst{packed, words.shape, std::nullopt};
    if (type == DType::kI32 && is_float(form)) {
        prim::raw::to_int32(dst, words);
    } else if (packed != words.address) {
        prim::raw::copy(dst, words);
    }
}

LocalTensor load_tile(const TileOperand& operand, WordForm form, Scratch::Frame& frame,
                      Scratch& scratch) {
    const dim4 shape = loaded_shape(operand, scratch.lanes());
    const LocalTensor packed = frame.plane(shape);
    const LocalTensor words = needs_words(operand.type, form) ? frame.plane(shape) : packed;
    load_packed(packed.address, operand);
    return widen_tile(words.address, packed.address, operand, form, scratch);
}

void store_tile(const TileOperand& operand, const LocalTensor& words, WordForm form,
                Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const bool in_place = !needs_words(operand.type, form);
    const local_addr_t packed = in_place ? words.address : frame.plane(operand.shape()).address;
    if (!in_place) narrow_tile(packed, words, operand.type, form, scratch);
    store_packed(operand, packed);
}

}  // namespace okksim::kernels
