// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/layers/byte_program.h"
#include "kernels/prim/local_tensor.h"

/// Integer feature maps of a layer group: the commands of a ByteProgram, and conversions between
/// words and packed int8. Firmware.
namespace okksim::kernels::layers {

/// `rows`: address of the program's first row at the first channel of `dst`; rows are `row_bytes`
/// apart. The result may overwrite an operand.
void run_program(const ByteProgram& program, const prim::LocalTensor& dst,
                 std::span<const prim::LocalTensor> maps, local_addr_t rows,
                 std::uint32_t row_bytes, prim::Scratch& scratch);

/// Words of a packed feature map minus its offset.
void widen_map(const prim::LocalTensor& dst, local_addr_t packed, float offset,
               prim::Scratch& scratch);

/// Scratch planes that narrow_map() needs.
int narrow_map_planes(float offset);
/// Packs words, which are values minus the offset, to int8.
void narrow_map(local_addr_t packed, const prim::LocalTensor& words, float offset,
                prim::Scratch& scratch);

}  // namespace okksim::kernels::layers
