// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/local_tensor.h"
#include "kernels/tiling/nd_tiles.h"

/// Tiles of typed tensors between system memory and words in local memory. A tile passes through a
/// packed buffer: the storage's bytes as the data mover leaves them, in the aligned layout of their
/// own width. load_packed / store_packed issue one data-mover command and nothing else;
/// widen_tile / narrow_tile issue compute commands and nothing else. Kernels with two packed
/// buffers per operand overlap both in parallel mode.
namespace okksim::kernels {

/// A block (1, c, h, w) of a tensor in system memory. Strides count elements; a stride of an extent
/// of 1 has no meaning. 0 broadcasts (loads only).
struct TileOperand {
    std::uint64_t address = 0;  ///< of the block's first element
    tosa::DType type = tosa::DType::kUnknown;
    std::int32_t c = 1, h = 1, w = 1;
    std::int64_t c_stride = 0, h_stride = 0, w_stride = 0;

    dim4 shape() const { return {1, c, h, w}; }
};

/// The block of `tensor` that operand `index` of a tile names.
TileOperand tile_operand(const DeviceTensor& tensor, const NdTile& tile, std::size_t index);

/// What is kept in local memory of an operand: extents that broadcast shrink to 1, broadcast
/// channels to one per lane.
dim4 loaded_shape(const TileOperand& operand, const Lanes& lanes);

/// How elements are held as words.
enum class WordForm : std::uint8_t {
    kValue,          ///< fp32 for floating point, int32 for bool, i4, i8, i16 and i32
    kUnsigned,       ///< kValue with i8 and i16 as unsigned numbers
    kFloat,          ///< fp32 also for i8, i16 (exact) and i32 (nearest even)
    kUnsignedFloat,  ///< kFloat with i8 and i16 as unsigned numbers
    kBits,           ///< the stored bits with zeros above them, whatever the type
    kPacked,         ///< several elements per word as they lie: packed_shape(); no broadcast
};

/// The words that the packed buffer of a tile of `shape` fills, as a tensor: the last one of a
/// channel may hold fewer elements.
dim4 packed_shape(tosa::DType type, const dim4& shape);

/// Bytes per lane of the packed buffer of a tile; its address is that of a line.
std::uint32_t packed_tile_bytes(tosa::DType type, const dim4& shape, const Lanes& lanes);
/// True when words differ from the stored elements and need a plane of their own.
bool needs_words(tosa::DType type, WordForm form);

/// Scratch planes of the tile's (loaded) shape that widen_tile takes.
int widen_planes(tosa::DType type, WordForm form);
/// Scratch planes of the tile's shape that narrow_tile takes.
int narrow_planes(tosa::DType type, WordForm form);

/// Brings the operand's loaded_shape() into a packed buffer.
void load_packed(local_addr_t packed, const TileOperand& operand, const Lanes& lanes);
/// The same for `copies` blocks of equal shape, `step` elements apart in system memory, into packed
/// buffers `packed_step` bytes apart. One command where the strides allow it.
void load_packed(local_addr_t packed, std::uint32_t packed_step, const TileOperand& operand,
                 std::int64_t step, int copies, const Lanes& lanes);
/// Writes a packed buffer of the operand's shape to system memory.
void store_packed(const TileOperand& operand, local_addr_t packed, const Lanes& lanes);

/// Words of a packed tile, not i48, as a tensor of the operand's shape (kPacked: of its
/// packed_shape()): it has strides of 0 where the operand broadcasts. They lie in `words`, a plane
/// of the loaded shape, or in the packed buffer itself where needs_words() is false.
prim::LocalTensor widen_tile(local_addr_t words, local_addr_t packed, const TileOperand& operand,
                             WordForm form, prim::Scratch& scratch);
/// Words in the loaded shape as a tensor of the operand's shape.
prim::LocalTensor word_view(local_addr_t words, const TileOperand& operand, const Lanes& lanes);
/// Low and high words of a packed i48 tile, where they lie in the buffer.
prim::WideTensor wide_tile(local_addr_t packed, const TileOperand& operand, const Lanes& lanes);
/// Stores words as packed elements of `type` (not i48: write through wide_tile). `words` is in the
/// aligned layout and is destroyed, it may lie in the buffer where needs_words() is false. Integers
/// are in the range of the type, or with kValue, kUnsigned and kBits their low bits count. Floats
/// are rounded as CAST does (TOSA 1.0.1, 2.13.1); kFloat and kUnsignedFloat take fp32 integers for
/// the integer types.
void narrow_tile(local_addr_t packed, const prim::LocalTensor& words, tosa::DType type,
                 WordForm form, prim::Scratch& scratch);

}  // namespace okksim::kernels
