// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/transfer/tile_io.h"

/// Conversion between 8- and 16-bit storage and words by the GDMA: it writes every element into a
/// separate word, or reads it from one. That takes one GDMA piece per element and saves the compute
/// commands of unpacking and packing. It is faster for small tensors if commands are expensive.
namespace okksim::kernels {

/// True for elements that can be spread. Other elements are words already or stay packed.
bool can_spread(tosa::DType type, WordForm form);

/// Loads the elements of the operand's loaded_shape() into a plane of words, whose other bits are
/// undefined. One GDMA command.
void load_spread(local_addr_t words, const TileOperand& operand, WordForm form, const Lanes& lanes);
/// Completes the words in place, as widen_tile() does. At most three commands, plus the conversion
/// of floating-point formats. Scratch as for widen_tile().
prim::LocalTensor widen_spread(local_addr_t words, const TileOperand& operand, WordForm form,
                               prim::Scratch& scratch);
/// Converts every word to the stored element in its low bits, in place. Rules and scratch as for
/// narrow_tile().
void narrow_spread(const prim::LocalTensor& words, tosa::DType type, WordForm form,
                   prim::Scratch& scratch);
/// Writes the low bits of a plane of words to system memory. One GDMA command.
void store_spread(const TileOperand& operand, local_addr_t words, const Lanes& lanes);

}  // namespace okksim::kernels
