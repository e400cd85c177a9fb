// SPDX-License-Identifier: Apache-2.0
#include "kernels/transfer/spread_io.h"

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "isa/layout.h"
#include "kernels/prim/float_formats.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"
#include "kernels/transfer/element_copy.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;
using tosa::DType;

bool is_float_form(WordForm form) {
    return form == WordForm::kFloat || form == WordForm::kUnsignedFloat;
}

/// The command that converts int8 to fp32 reads only the low byte.
bool takes_low_byte(DType type, WordForm form) {
    return (type == DType::kI8 || type == DType::kI4) && form == WordForm::kFloat;
}

/// A transfer of single elements: shape, strides of the words in units of an element, strides in
/// system memory.
struct ElementMove {
    dim4 shape;
    dim4 local;
    dim4 system;
};

ElementMove plan_move(const TileOperand& block, const dim4& shape, const Lanes& lanes) {
    const int per_word = 4 / stored_bytes(block.type);
    const int channel = isa::narrow(lanes.whole_lines(std::int64_t{shape.h} * shape.w) * per_word);
    const auto step = [](int extent, std::int64_t stride) {
        return extent == 1 ? 0 : static_cast<int>(stride);
    };
    return {{shape.h, shape.c, shape.w, 1},
            {shape.w * per_word, channel, per_word, 1},
            {step(shape.h, block.h_stride), step(shape.c, block.c_stride),
             step(shape.w, block.w_stride), 1}};
}

/// Widens numbers of `bits` bits from the top of their words.
void lower_integers(const LocalTensor& dst, int bits, WordForm form) {
    if (form == WordForm::kValue) {
        prim::raw::shift_right_arithmetic(dst, dst, 32 - bits);
        return;
    }
    prim::raw::shift_right_logical(dst, dst, 32 - bits);
    if (form == WordForm::kFloat) {
        // Adds half the range, so that no number is negative, and subtracts it again.
        const std::uint32_t half = 1u << (bits - 1);
        prim::raw::bit_xor(dst, dst, prim::kIntegerMagicBits | half);
        prim::raw::subtract(dst, dst, prim::kIntegerMagic + static_cast<float>(half));
    } else if (form == WordForm::kUnsignedFloat) {
        prim::raw::bit_or(dst, dst, prim::kIntegerMagicBits);
        prim::raw::subtract(dst, dst, prim::kIntegerMagic);
    }
}

void lower_floats(const LocalTensor& dst, DType type, Scratch& scratch) {
    if (type == DType::kBf16) {
        prim::raw::bit_and(dst, dst, 0xFFFF0000u);
        return;
    }
    prim::raw::shift_right_logical(dst, dst, 32 - 8 * stored_bytes(type));
    if (type == DType::kFp16) {
        prim::fp16_to_float(dst, dst, scratch);
    } else if (type == DType::kFp8E4M3) {
        prim::fp8e4m3_to_float(dst, dst, scratch);
    } else {
        prim::fp8e5m2_to_float(dst, dst, scratch);
    }
}

}  // namespace

bool can_spread(DType type, WordForm form) {
    return stored_bytes(type) <= 2 && form != WordForm::kPacked;
}

void load_spread(local_addr_t words, const TileOperand& operand, WordForm form,
                 const Lanes& lanes) {
    const int bytes = stored_bytes(operand.type);
    const ElementMove move = plan_move(operand, loaded_shape(operand, lanes), lanes);
    const auto top = static_cast<local_addr_t>(4 - bytes);
    const local_addr_t first = words + (takes_low_byte(operand.type, form) ? 0 : top);
    OKKSIM_CHECK(bytes <= 2);
    load_command(bytes)(first, operand.address, &move.shape, &move.local, &move.system);
}

LocalTensor widen_spread(local_addr_t words, const TileOperand& operand, WordForm form,
                         Scratch& scratch) {
    const dim4 shape = loaded_shape(operand, scratch.lanes());
    const LocalTensor dst{words, shape, std::nullopt};
    const int bits = 8 * stored_bytes(operand.type);
    if (takes_low_byte(operand.type, form)) {
        prim::raw::byte_to_float(dst, dst);
    } else if (form == WordForm::kBits) {
        prim::raw::shift_right_logical(dst, dst, 32 - bits);
    } else if (tosa::is_floating_point(operand.type)) {
        lower_floats(dst, operand.type, scratch);
    } else {
        lower_integers(dst, bits, form);
    }
    return word_view(words, operand, scratch.lanes());
}

void narrow_spread(const LocalTensor& words, DType type, WordForm form, Scratch& scratch) {
    if (form == WordForm::kBits) return;
    switch (type) {
        case DType::kFp16: prim::float_to_fp16(words, words, scratch); return;
        case DType::kBf16: prim::float_to_bf16(words, words, scratch); return;
        case DType::kFp8E4M3: prim::float_to_fp8e4m3(words, words, scratch); return;
        case DType::kFp8E5M2: prim::float_to_fp8e5m2(words, words, scratch); return;
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI4:
        case DType::kI8:
        case DType::kI16:
        case DType::kI32:
        case DType::kI48:
        case DType::kFp32:
        case DType::kShape: break;
    }
    if (is_float_form(form)) prim::raw::to_int32(words, words);
}

void store_spread(const TileOperand& operand, local_addr_t words, const Lanes& lanes) {
    const ElementMove move = plan_move(operand, operand.shape(), lanes);
    const int bytes = stored_bytes(operand.type);
    OKKSIM_CHECK(bytes <= 2);
    store_command(bytes)(operand.address, words, &move.shape, &move.system, &move.local);
}

}  // namespace okksim::kernels
