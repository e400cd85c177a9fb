// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/transfer/tile_io.h"

/// Another way between 8- and 16-bit storage and words: the data mover itself puts every element
/// into a word of its own, or takes it out of one. That costs it a piece per element and saves the
/// compute commands of unpacking and packing, which pays for small tensors where commands are dear.
namespace okksim::kernels {

/// True for elements that can be spread: other ones are words already or stay as they lie.
bool can_spread(tosa::DType type, WordForm form);

/// Brings the elements of the operand's loaded_shape() into a plane of words; what else the words
/// hold is undefined. One data-mover command.
void load_spread(local_addr_t words, const TileOperand& operand, WordForm form, const Lanes& lanes);
/// Completes the words in place, as widen_tile does. At most three commands besides the conversion
/// of floating-point formats. Scratch as widen_tile.
prim::LocalTensor widen_spread(local_addr_t words, const TileOperand& operand, WordForm form,
                               prim::Scratch& scratch);
/// Makes the low bits of every word the stored element, in place; rules and scratch of narrow_tile.
void narrow_spread(const prim::LocalTensor& words, tosa::DType type, WordForm form,
                   prim::Scratch& scratch);
/// Writes the low bits of a plane of words to system memory. One data-mover command.
void store_spread(const TileOperand& operand, local_addr_t words, const Lanes& lanes);

}  // namespace okksim::kernels
