// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_commands.h"

#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "isa/types.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::rows {
namespace {

using prim::LocalTensor;

using BinaryCommand = decltype(&okk_bdc_int_add);
using ConstantCommand = decltype(&okk_bdc_int_add_C);
using CompareCommand = decltype(&okk_bdc_int_greater);

void binary(BinaryCommand function, const RowOperand& dst, const RowOperand& a, const RowOperand& b,
            bool saturates) {
    function(dst.address, a.address, b.address, &dst.shape, &dst.stride, &a.stride, &b.stride,
             dst.type, a.type, b.type, saturates);
}

void constant(ConstantCommand function, const RowOperand& dst, const RowOperand& a, int amount,
              bool saturates) {
    function(dst.address, a.address, amount, &dst.shape, &dst.stride, &a.stride, dst.type, a.type,
             saturates);
}

void compare(CompareCommand function, const RowOperands& o) {
    const RowOperand& dst = o.result;
    x32 one;
    one.u32 = 1;
    function(dst.address, o.sources[0].address, o.sources[1].address, one, &dst.shape, &dst.stride,
             &o.sources[0].stride, &o.sources[1].stride, dst.type, o.sources[0].type,
             o.sources[1].type);
}

okk_element_t unsigned_type(okk_element_t type) {
    return type == OKK_INT8 ? OKK_UINT8 : type == OKK_INT16 ? OKK_UINT16 : type;
}

void rescale(const RowCommand& command, const RowOperands& o) {
    const RowScale& scale = command.scale;
    const RowOperand& dst = o.result;
    const RowOperand& a = o.sources[0];
    const okk_element_t to = scale.output_unsigned ? unsigned_type(dst.type) : dst.type;
    const okk_element_t from = scale.input_unsigned ? unsigned_type(a.type) : a.type;
    if (command.function == RowFunction::kRescale) {
        okk_bdc_rescale_C(dst.address, a.address, scale.multiplier, scale.shift, &dst.shape,
                          &dst.stride, &a.stride, to, from, scale.input_zp, scale.output_zp,
                          scale.low, scale.high, scale.rounds_twice);
        return;
    }
    okk_bdc_rescale(dst.address, a.address, o.sources[1].address, o.sources[2].address, &dst.shape,
                    &dst.stride, &a.stride, &o.sources[1].stride, to, from, scale.input_zp,
                    scale.output_zp, scale.low, scale.high, scale.rounds_twice);
}

void select(const RowOperands& o) {
    const RowOperand& dst = o.result;
    okk_bdc_int_select(dst.address, o.sources[0].address, o.sources[1].address,
                       o.sources[2].address, &dst.shape, &dst.stride, &o.sources[0].stride,
                       &o.sources[1].stride, &o.sources[2].stride, dst.type, o.sources[0].type,
                       o.sources[1].type, o.sources[2].type);
}

RowOperand part(RowOperand operand, std::int64_t first, std::int64_t columns) {
    operand.address += static_cast<local_addr_t>(
        first * isa::element_bytes(static_cast<isa::ElementType>(operand.type)));
    operand.shape.w = static_cast<int>(columns);
    return operand;
}

/// Combines the columns in halves: the upper half into the lower one. If their number is odd, the
/// last column of the lower half is unchanged.
void reduce(BinaryCommand function, const RowOperands& o, local_addr_t half_place,
            std::int64_t columns) {
    const RowOperand& all = o.sources[0];
    RowOperand half = all;
    half.address = half_place;
    half.shape = {1, o.result.shape.c, 1, 1};
    const RowOperand* from = &all;
    while (columns > 2) {
        const std::int64_t kept = (columns + 1) / 2;
        const std::int64_t added = columns - kept;
        binary(function, part(half, 0, added), part(*from, 0, added), part(*from, kept, added),
               false);
        if (kept > added && from == &all) {
            copy(part(half, added, 1), part(all, added, 1));
        }
        from = &half;
        columns = kept;
    }
    if (columns == 1) {
        return copy(o.result, part(*from, 0, 1));
    }
    binary(function, o.result, part(*from, 0, 1), part(*from, 1, 1), false);
}

/// Arithmetic that can saturate.
void arithmetic(const RowCommand& command, const RowOperands& o, bool saturates) {
    const RowOperand& dst = o.result;
    const RowOperand& a = o.sources[0];
    const RowOperand& b = o.sources[1];
    switch (command.function) {
        case RowFunction::kAdd: return binary(okk_bdc_int_add, dst, a, b, saturates);
        case RowFunction::kSubtract: return binary(okk_bdc_int_sub, dst, a, b, saturates);
        case RowFunction::kAddConstant:
            return constant(okk_bdc_int_add_C, dst, a, command.amount, saturates);
        case RowFunction::kSubtractFrom:
            return constant(okk_bdc_int_C_sub, dst, a, command.amount, saturates);
        case RowFunction::kMultiply:
            okk_bdc_int_mul(dst.address, a.address, b.address, &dst.shape, &dst.stride, &a.stride,
                            &b.stride, dst.type, a.type, b.type, command.amount, saturates);
            return;
        default: OKKSIM_CHECK(false);
    }
}

/// Sets the sign bits of words that are not 0.
void mark_not_zero(const LocalTensor& words) {
    prim::raw::select_equal(words, words, 0, prim::kSignBit);
    prim::raw::bit_xor(words, words, prim::kSignBit);
}

}  // namespace

void copy(const RowOperand& to, const RowOperand& from) {
    constant(okk_bdc_int_add_C, to, from, 0, false);
}

void issue(const RowCommand& command, const RowOperands& o, local_addr_t half,
           std::int64_t columns) {
    const RowOperand& dst = o.result;
    const RowOperand& a = o.sources[0];
    const RowOperand& b = o.sources[1];
    switch (command.function) {
        case RowFunction::kAdd:
        case RowFunction::kSubtract:
        case RowFunction::kAddConstant:
        case RowFunction::kSubtractFrom:
        case RowFunction::kMultiply: return arithmetic(command, o, false);
        case RowFunction::kMaximum: return binary(okk_bdc_int_max, dst, a, b, false);
        case RowFunction::kMinimum: return binary(okk_bdc_int_min, dst, a, b, false);
        case RowFunction::kShiftLeft: return binary(okk_bdc_int_shift_left, dst, a, b, false);
        case RowFunction::kShiftRight: return binary(okk_bdc_int_shift_right, dst, a, b, false);
        case RowFunction::kShiftRightRound:
            return binary(okk_bdc_int_shift_right_round, dst, a, b, false);
        case RowFunction::kShiftRightLogical:
            return binary(okk_bdc_int_shift_right_logical, dst, a, b, false);
        case RowFunction::kMaximumConstant:
            return constant(okk_bdc_int_max_C, dst, a, command.amount, false);
        case RowFunction::kMinimumConstant:
            return constant(okk_bdc_int_min_C, dst, a, command.amount, false);
        case RowFunction::kGreater: return compare(okk_bdc_int_greater, o);
        case RowFunction::kGreaterEqual: return compare(okk_bdc_int_greater_equal, o);
        case RowFunction::kEqual: return compare(okk_bdc_int_equal, o);
        case RowFunction::kSelect: return select(o);
        case RowFunction::kAbsolute:
            return okk_bdc_int_abs(dst.address, a.address, &dst.shape, &dst.stride, &a.stride,
                                   dst.type, a.type);
        case RowFunction::kLeadingZeros:
            return okk_bdc_int_clz(dst.address, a.address, &dst.shape, &dst.stride, &a.stride,
                                   dst.type, a.type);
        case RowFunction::kRescale:
        case RowFunction::kRescaleRows: return rescale(command, o);
        case RowFunction::kLookUp8:
            return okk_bdc_lookup8(dst.address, a.address, b.address, &dst.shape, &dst.stride,
                                   &a.stride, dst.type, a.type);
        case RowFunction::kLookUp16:
            return okk_bdc_lookup16(dst.address, a.address, b.address, &dst.shape, &dst.stride,
                                    &a.stride, dst.type, a.type);
        case RowFunction::kCast:
            return okk_bdc_cast(dst.address, a.address, &dst.shape, &dst.stride, &a.stride,
                                dst.type, a.type, false);
        case RowFunction::kSum: return reduce(okk_bdc_int_add, o, half, columns);
        case RowFunction::kLargest: return reduce(okk_bdc_int_max, o, half, columns);
        case RowFunction::kLeast: return reduce(okk_bdc_int_min, o, half, columns);
        case RowFunction::kProduct: break;  // several commands, issued by the caller
    }
    OKKSIM_CHECK(false);
}

void find_violations(const RowCommand& command, const RowOperands& operands,
                     const LocalTensor& found) {
    const LocalTensor result{operands.result.address, found.shape, operands.result.stride};
    switch (command.check) {
        case RowCheck::kNone: return;
        case RowCheck::kSign: return prim::raw::copy(found, result);
        case RowCheck::kFits: {
            RowOperands saturated = operands;
            saturated.result.address = found.address;
            saturated.result.stride = *found.stride;
            arithmetic(command, saturated, true);
            prim::raw::bit_xor(found, found, result);
            // Sums that do not fit have the wrong sign; any bit of products may differ.
            if (command.function == RowFunction::kMultiply) mark_not_zero(found);
            return;
        }
        case RowCheck::kAmount: {
            const RowOperand& b = operands.sources[1];
            const LocalTensor amount{b.address, found.shape, b.stride};
            constexpr std::uint32_t kAmountBits = 31;
            prim::raw::bit_and(found, amount, ~kAmountBits);
            return mark_not_zero(found);
        }
    }
    OKKSIM_CHECK(false);
}

}  // namespace okksim::kernels::rows
