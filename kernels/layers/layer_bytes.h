// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/layers/byte_program.h"
#include "kernels/prim/local_tensor.h"

/// Integer maps of a layer group: the commands of a ByteProgram, and the way between words and
/// packed int8. Firmware.
namespace okksim::kernels::layers {

/// `rows`: where the program's first row has the first channel of `dst`, others `row_bytes` on. The
/// result may lie where a map does.
void run_program(const ByteProgram& program, const prim::LocalTensor& dst,
                 std::span<const prim::LocalTensor> maps, local_addr_t rows,
                 std::uint32_t row_bytes, prim::Scratch& scratch);

/// Words less the offset of a packed map.
void widen_map(const prim::LocalTensor& dst, local_addr_t packed, float offset,
               prim::Scratch& scratch);

/// Planes that narrow_map() takes.
int narrow_map_planes(float offset);
/// The packed map of words that have the offset taken away.
void narrow_map(local_addr_t packed, const prim::LocalTensor& words, float offset,
                prim::Scratch& scratch);

}  // namespace okksim::kernels::layers
