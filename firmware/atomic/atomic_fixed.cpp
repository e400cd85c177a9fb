// SPDX-License-Identifier: Apache-2.0
// Fixed-point arithmetic and linear functions of bm_atomic.h as commands.
#include "firmware/atomic/atomic_commands.h"

namespace okksim::firmware {
namespace {

using isa::Command;
using isa::Dim4;
using isa::Opcode;
using isa::OpType;

// The bits of an op_type_t.
constexpr std::uint32_t kByteSources = 1;
constexpr std::uint32_t kFirstSigned = 1 << 1;
constexpr std::uint32_t kSecondSigned = 1 << 2;
constexpr std::uint32_t kByteResult = 1 << 3;
constexpr std::uint32_t kResultSigned = 1 << 4;

/// Returns the types of the documented command. A result is signed if a source is, and a difference
/// always is.
OpType types_of(const ArithQuantParam& p) {
    std::uint32_t bits = 0;
    if (p.input0_8bit) bits |= kByteSources;
    if (p.output_8bit) bits |= kByteResult;
    if (p.input0_sign) bits |= kFirstSigned;
    if (p.input1_sign) bits |= kSecondSigned;
    if (p.input0_sign || p.input1_sign || p.op == BM_SUB) bits |= kResultSigned;
    return static_cast<OpType>(bits);
}

/// Returns the strides of the second operand. A stride of 0 repeats its only row or column.
Dim4 second_stride(const ArithQuantParam& p) {
    Dim4 stride = dims_of(p.input1_stride);
    if (p.input1_h_is1) stride.h = 0;
    if (p.input1_w_is1) stride.w = 0;
    return stride;
}

Command binary(Opcode opcode, const ArithQuantParam& p) {
    return Command::make(opcode, isa::FixedBinary{{p.output_addr},
                                                  {p.input0_addr},
                                                  {p.input1_addr},
                                                  dims_of(p.shape),
                                                  dims_of(p.output_stride),
                                                  dims_of(p.input0_stride),
                                                  second_stride(p),
                                                  types_of(p),
                                                  signed_of(p.rshift_bit)});
}

Command comparison(Opcode opcode, const ArithQuantParam& p) {
    require_field(p.rshift_bit == 0, "rshift_bit", p.rshift_bit,
                  "the documented maximum and minimum do not shift", "shift by a product");
    return Command::make(opcode, isa::FixedCompare{{p.output_addr},
                                                   {p.input0_addr},
                                                   {p.input1_addr},
                                                   dims_of(p.shape),
                                                   dims_of(p.output_stride),
                                                   dims_of(p.input0_stride),
                                                   second_stride(p),
                                                   types_of(p)});
}

Command product_added(const ArithQuantParam& p) {
    const OpType types = types_of(p);
    return Command::make(Opcode::bdc_fixed_point_packed_mac,
                         isa::FixedMac{{p.output_addr},
                                       {p.input0_addr},
                                       {p.input1_addr},
                                       dims_of(p.shape),
                                       dims_of(p.output_stride),
                                       dims_of(p.input0_stride),
                                       second_stride(p),
                                       isa::fixed_types(types).result.is_signed,
                                       types,
                                       signed_of(p.lshift_bit),
                                       signed_of(p.rshift_bit)});
}

Command fixed_command(const ArithQuantParam& p) {
    switch (p.op) {
        case BM_MUL: return binary(Opcode::bdc_fixed_point_packed_mul, p);
        case BM_ADD: return binary(Opcode::bdc_fixed_point_packed_add, p);
        case BM_SUB: return binary(Opcode::bdc_fixed_point_packed_sub, p);
        case BM_MAC: return product_added(p);
        case BM_MAX: return comparison(Opcode::bdc_fixed_point_packed_max, p);
        case BM_MIN: return comparison(Opcode::bdc_fixed_point_packed_min, p);
        default: break;
    }
    require_field(false, "op", static_cast<std::uint64_t>(p.op),
                  "the operation is one of BM_MUL, BM_MAC, BM_ADD, BM_SUB, BM_MAX and BM_MIN",
                  "call the okk_bdc_fixed_point_packed function of this operation");
    return {};
}

}  // namespace

AtomicCommand command_of_bm_atomic_tensor_arithmetic_quantized(const ArithQuantParam& p,
                                                               const isa::MachineShape&) {
    constexpr const char* kConstantRule = "no field holds a constant's value";
    constexpr const char* kConstantAdvice =
        "call the okk_bdc_fixed_point_packed function that ends in _C";
    require_field(!p.input0_is_const, "input0_is_const", 1, kConstantRule, kConstantAdvice);
    require_field(!p.input1_is_const, "input1_is_const", 1, kConstantRule, kConstantAdvice);
    require_field(p.input0_8bit == p.input1_8bit, "input1_8bit", p.input1_8bit ? 1 : 0,
                  "the documented functions take operands of one width",
                  "call okk_bdc_fixed_point_packed_16bit_mul_8bit(), or widen the narrower one");
    require_field(!p.input1_n_is1, "input1_n_is1", 1,
                  "several images share a word, so that one cannot be taken for all",
                  "repeat it in memory");
    require_field(p.op == BM_MAC || p.lshift_bit == 0, "lshift_bit", p.lshift_bit,
                  "only a sum of products shifts the old result", "set it to 0");
    return {fixed_command(p), {}};
}

AtomicCommand command_of_bm_atomic_md_linear(const MDLinearParam& p, const isa::MachineShape&) {
    require_field(p.op == BM_MAC, "op", static_cast<std::uint64_t>(p.op),
                  "the operation must be BM_MAC: tensor * factor + summand per channel",
                  "call the okk_bdc functions of this operation");
    require_field(!p.result_add, "result_add", 1,
                  "no documented linear function adds to its result", "add by okk_bdc_add()");
    const isa::LocalAddr dst{p.output_addr}, src{p.tensorA_addr};
    const isa::LocalAddr factor{p.tensorB_addr}, summand{p.tensorS_addr};
    const Dim4 shape = dims_of(p.shape);
    NullArguments nulls;
    const auto are_null = [&](std::size_t first) {
        nulls.set_null(first, true);
        nulls.set_null(first + 1, true);
    };
    if (!p.tensorB_is_const && !p.tensorS_is_const) {
        are_null(5);
        return {Command::make(Opcode::bdc_scale_bias,
                              isa::VectorScaleBias{dst, src, factor, summand, shape, {}, {}}),
                nulls};
    }
    are_null(4);
    if (p.tensorB_is_const) {
        require_field(!p.tensorS_is_const, "tensorS_is_const", 1,
                      "the factor or the summand must be a tensor",
                      "call okk_bdc_mul_C() and okk_bdc_add_C()");
        require_field(p.tensorB_const == 1, "tensorB_is_const", 1,
                      "the factor must be a tensor or 1",
                      "fill a tensor of factors by okk_bdc_32bit_set_C()");
        return {Command::make(Opcode::bdc_bias, isa::VectorBias{dst, src, summand, shape, {}, {}}),
                nulls};
    }
    require_field(p.tensorS_const == 0, "tensorS_is_const", 1,
                  "the summand must be a tensor or absent",
                  "fill a tensor of summands by okk_bdc_32bit_set_C()");
    return {Command::make(Opcode::bdc_scale, isa::VectorScale{dst, src, factor, shape, {}, {}}),
            nulls};
}

}  // namespace okksim::firmware
