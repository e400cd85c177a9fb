// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_bytes.h"

#include <optional>

#include "kernels/prim/convert.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::layers {
namespace {

using prim::LocalTensor;
namespace raw = prim::raw;

/// `dst` may be `value`.
void clamp(const ByteProgram& program, const LocalTensor& dst, const LocalTensor& value) {
    raw::maximum(dst, value, program.low);
    raw::minimum(dst, dst, program.high);
}

/// Rounds to the nearest integer and adds the program's shift.
void round(const LocalTensor& dst, const LocalTensor& value, float shift) {
    raw::add(dst, value, prim::rounding_magic(0));
    raw::subtract(dst, dst, prim::rounding_magic(0) - shift);
}

void run_scaled(const ByteProgram& program, const LocalTensor& dst, const LocalTensor& sum,
                local_addr_t rows, std::uint32_t row_bytes) {
    raw::scale_channels(dst, sum, rows, rows + row_bytes);
    clamp(program, dst, dst);
    round(dst, dst, program.shift);
}

void run_settled(const ByteProgram& program, const LocalTensor& dst, const LocalTensor& sum,
                 local_addr_t rows, std::uint32_t row_bytes, prim::Scratch& scratch) {
    prim::Scratch::Frame frame(scratch);
    const LocalTensor first = frame.plane(dst.shape);
    const LocalTensor rest = frame.plane(dst.shape);
    const auto row = [&](std::uint32_t index) { return rows + index * row_bytes; };
    raw::scale_channels(first, sum, row(0), row(1));
    clamp(program, first, first);
    round(first, first, 0);
    raw::scale_channels(rest, first, row(2), row(3));
    raw::subtract(rest, sum, rest);
    raw::scale_channels(dst, first, row(4), row(5));
    raw::select_greater(rest, rest, dst, prim::kOneBits);
    raw::add(dst, first, rest);
    if (program.shift != 0) raw::add(dst, dst, program.shift);
}

/// Sum of feature maps times factors and a constant. The second product needs a separate plane.
void weigh(const LocalTensor& dst, std::span<const LocalTensor> maps,
           std::span<const float> factors, float constant, const LocalTensor* product) {
    if (product != nullptr) raw::multiply(*product, maps[1], factors[1]);
    raw::multiply(dst, maps[0], factors[0]);
    if (product != nullptr) raw::add(dst, dst, *product);
    if (constant != 0) raw::add(dst, dst, constant);
}

void run_function(const ByteProgram& program, const LocalTensor& dst,
                  std::span<const LocalTensor> maps, prim::Scratch& scratch) {
    prim::Scratch::Frame frame(scratch);
    const bool in_pieces = !program.pieces.empty();
    const LocalTensor sum = in_pieces ? frame.plane(dst.shape) : dst;
    std::optional<LocalTensor> product;
    if (program.factors.size() > 1) product = frame.plane(dst.shape);
    weigh(sum, maps, program.factors, program.constant, product ? &*product : nullptr);
    if (in_pieces) {
        const LocalTensor bent = frame.plane(dst.shape);
        for (const BytePiece& piece : program.pieces) {
            raw::maximum(bent, maps[0], piece.knot);
            raw::multiply_add(sum, bent, piece.slope);
        }
    }
    if (program.clamps) clamp(program, sum, sum);
    round(dst, sum, program.shift);
}

void run_settled_pair(const ByteProgram& program, const LocalTensor& dst,
                      std::span<const LocalTensor> maps, prim::Scratch& scratch) {
    prim::Scratch::Frame frame(scratch);
    const LocalTensor rest = frame.plane(dst.shape);
    const LocalTensor sum = frame.plane(dst.shape);
    const LocalTensor first = frame.plane(dst.shape);
    weigh(rest, maps, program.rests, program.rests[2], &first);
    weigh(sum, maps, program.factors, program.constant, &first);
    clamp(program, first, sum);
    round(first, first, 0);
    raw::subtract(sum, sum, first);
    raw::add(sum, sum, rest);
    raw::select_greater(sum, sum, 0.0f, prim::kOneBits);
    raw::add(dst, first, sum);
    if (program.shift != 0) raw::add(dst, dst, program.shift);
}

}  // namespace

void run_program(const ByteProgram& program, const LocalTensor& dst,
                 std::span<const LocalTensor> maps, local_addr_t rows, std::uint32_t row_bytes,
                 prim::Scratch& scratch) {
    switch (program.kind) {
        case ByteProgramKind::kScaled: return run_scaled(program, dst, maps[0], rows, row_bytes);
        case ByteProgramKind::kSettled:
            return run_settled(program, dst, maps[0], rows, row_bytes, scratch);
        case ByteProgramKind::kFunction: return run_function(program, dst, maps, scratch);
        case ByteProgramKind::kSettledPair: return run_settled_pair(program, dst, maps, scratch);
    }
}

void widen_map(const LocalTensor& dst, local_addr_t packed, float offset, prim::Scratch& scratch) {
    prim::unpack_8bit_to_float(dst, packed, true, scratch);
    if (offset != 0) raw::subtract(dst, dst, offset);
}

int narrow_map_planes(float offset) { return prim::kPackPlanes + (offset != 0 ? 1 : 0); }

void narrow_map(local_addr_t packed, const LocalTensor& words, float offset,
                prim::Scratch& scratch) {
    if (offset == 0) return prim::pack_float_to_8bit(packed, words, scratch);
    prim::Scratch::Frame frame(scratch);
    const LocalTensor bytes = frame.plane(words.shape);
    raw::add(bytes, words, offset);
    prim::pack_float_to_8bit(packed, bytes, scratch);
}

}  // namespace okksim::kernels::layers
