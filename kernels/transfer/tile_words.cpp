// SPDX-License-Identifier: Apache-2.0
// Conversion between packed elements and words.
#include <algorithm>

#include "isa/base/errors.h"
#include "kernels/prim/float_formats.h"
#include "kernels/prim/raw.h"
#include "kernels/transfer/half_element.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;
using tosa::DType;

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
    if (form == WordForm::kBits) {
        prim::unpack_16bit(dst, packed, false, scratch);
    } else if (type != DType::kI16) {
        prim::unpack_half(dst, packed, half_element(type), scratch);
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
    if (type != DType::kI16 && form != WordForm::kBits) {
        prim::pack_half(packed, words, half_element(type), scratch);
        return;
    }
    if (type == DType::kI16 && is_float(form)) prim::raw::to_int32(words, words);
    prim::pack_16bit(packed, words, scratch);
}

}  // namespace

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

LocalTensor widen_tile(local_addr_t words, local_addr_t packed, const TileOperand& operand,
                       WordForm form, Scratch& scratch) {
    const int bytes = stored_bytes(operand.type);
    OKKSIM_CHECK(bytes <= 4);
    const Lanes& lanes = scratch.lanes();
    const dim4 shape = loaded_shape(operand, lanes);
    if (form == WordForm::kPacked) {
        OKKSIM_CHECK(shape.c == operand.c && shape.h == operand.h && shape.w == operand.w);
        return {packed, packed_shape(operand.type, shape), std::nullopt};
    }
    if (!needs_words(operand.type, form)) return word_view(packed, operand, lanes);
    const LocalTensor dst{words, shape, std::nullopt};
    if (bytes == 1) {
        widen_bytes(dst, packed, operand.type, form, scratch);
    } else if (bytes == 2) {
        widen_halves(dst, packed, operand.type, form, scratch);
    } else {
        prim::int32_to_float(dst, {packed, shape, std::nullopt}, scratch);
    }
    return word_view(words, operand, lanes);
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

}  // namespace okksim::kernels
