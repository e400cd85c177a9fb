// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/local_tensor.h"
#include "kernels/tiling/nd_tiles.h"

/// Tiles of typed tensors between system memory and words in local memory. A tile passes through a
/// packed buffer, which holds the stored bytes in the aligned layout of their width. load_packed()
/// and store_packed() issue one GDMA command and nothing else. widen_tile() and narrow_tile() issue
/// only compute commands. Kernels with two packed buffers per operand overlap both in parallel
/// mode.
namespace okksim::kernels {

/// A block (1, c, h, w) of a tensor in system memory. Strides count elements; the stride of an
/// extent of 1 has no meaning. 0 broadcasts (loads only).
struct TileOperand {
    std::uint64_t address = 0;  ///< of the block's first element
    tosa::DType type = tosa::DType::kUnknown;
    std::int32_t c = 1, h = 1, w = 1;
    std::int64_t c_stride = 0, h_stride = 0, w_stride = 0;

    dim4 shape() const { return {1, c, h, w}; }
};

/// The block of `tensor` for operand `index` of a tile.
TileOperand tile_operand(const DeviceTensor& tensor, const NdTile& tile, std::size_t index);

/// Shape of an operand in local memory: extents that broadcast shrink to 1, broadcast channels to
/// one per lane.
dim4 loaded_shape(const TileOperand& operand, const Lanes& lanes);

/// Form of elements as words.
enum class WordForm : std::uint8_t {
    kValue,          ///< fp32 for floating point, int32 for bool, i4, i8, i16 and i32
    kUnsigned,       ///< kValue with i8 and i16 as unsigned numbers
    kFloat,          ///< fp32 also for i8, i16 (exact) and i32 (nearest even)
    kUnsignedFloat,  ///< kFloat with i8 and i16 as unsigned numbers
    kBits,           ///< the stored bits with zeros above them, whatever the type
    kPacked,         ///< several elements per word, as stored: packed_shape(); no broadcast
};

/// The words of the packed buffer of a tile of `shape`, as a tensor. The last word of a channel may
/// hold fewer elements.
dim4 packed_shape(tosa::DType type, const dim4& shape);

/// Bytes per lane of the packed buffer of a tile, whose address is that of a line.
std::uint32_t packed_tile_bytes(tosa::DType type, const dim4& shape, const Lanes& lanes);
/// True if words differ from the stored elements and need a separate plane.
bool needs_words(tosa::DType type, WordForm form);

/// Scratch planes of the tile's (loaded) shape that widen_tile() needs.
int widen_planes(tosa::DType type, WordForm form);
/// Scratch planes of the tile's shape that narrow_tile() needs.
int narrow_planes(tosa::DType type, WordForm form);

/// Loads the operand's loaded_shape() into a packed buffer.
void load_packed(local_addr_t packed, const TileOperand& operand, const Lanes& lanes);
/// Loads `copies` blocks of equal shape, `step` elements apart in system memory, into packed
/// buffers `packed_step` bytes apart. One command if the strides allow it.
void load_packed(local_addr_t packed, std::uint32_t packed_step, const TileOperand& operand,
                 std::int64_t step, int copies, const Lanes& lanes);
/// Writes a packed buffer of the operand's shape to system memory.
void store_packed(const TileOperand& operand, local_addr_t packed, const Lanes& lanes);

/// Returns the words of a packed tile, not i48, as a tensor of the operand's shape (kPacked: of its
/// packed_shape()). Strides are 0 if the operand broadcasts. The words are in `words`, a plane of
/// the loaded shape, or in the packed buffer if needs_words() is false.
prim::LocalTensor widen_tile(local_addr_t words, local_addr_t packed, const TileOperand& operand,
                             WordForm form, prim::Scratch& scratch);
/// Returns words in the loaded shape as a tensor of the operand's shape.
prim::LocalTensor word_view(local_addr_t words, const TileOperand& operand, const Lanes& lanes);
/// Returns the low and high words of a packed i48 tile in the buffer.
prim::WideTensor wide_tile(local_addr_t packed, const TileOperand& operand, const Lanes& lanes);
/// Stores words as packed elements of `type` (not i48: write through wide_tile()). `words` is in
/// the aligned layout and is destroyed; it may be the buffer if needs_words() is false. Integers
/// are in the range of the type, or with kValue, kUnsigned and kBits only their low bits are used.
/// Floats are rounded as by CAST (TOSA 1.0.1, 2.13.1). kFloat and kUnsignedFloat take fp32 integers
/// for the integer types.
void narrow_tile(local_addr_t packed, const prim::LocalTensor& words, tosa::DType type,
                 WordForm form, prim::Scratch& scratch);

}  // namespace okksim::kernels
