// SPDX-License-Identifier: Apache-2.0
// The compute engine's functions of bm_atomic.h as commands.
#include <cstddef>
#include <initializer_list>
#include <optional>

#include "firmware/atomic/atomic_commands.h"

namespace okksim::firmware {
namespace {

using isa::Bits32;
using isa::Command;
using isa::Dim4;
using isa::MachineShape;
using isa::Opcode;

/// Strides that are NULL for the API function: operands of the form.
NullArguments nulls_at(std::initializer_list<std::size_t> operands) {
    NullArguments nulls;
    for (const std::size_t operand : operands) nulls.set_null(operand, true);
    return nulls;
}

isa::Padding padding_of(const unsigned int (&pad)[4]) {
    return {signed_of(pad[0]), signed_of(pad[1]), signed_of(pad[2]), signed_of(pad[3])};
}

template <typename Parameters>
void require_no_insertion(const Parameters& p) {
    constexpr const char* kRule = "no documented function inserts zeros between elements";
    constexpr const char* kAdvice = "spread the input by a copy with strides";
    require_field(p.ins_h == 0, "ins_h", p.ins_h, kRule, kAdvice);
    require_field(p.ins_w == 0, "ins_w", p.ins_w, kRule, kAdvice);
}

template <typename Parameters>
AtomicCommand pooled(Opcode opcode, const Parameters& p) {
    require_no_insertion(p);
    return {Command::make(opcode, isa::Pool{{p.output_addr},
                                            {p.input_addr},
                                            dims_of(p.input_shape),
                                            signed_of(p.kernel_h),
                                            signed_of(p.kernel_w),
                                            padding_of(p.pad),
                                            {signed_of(p.stride_h), signed_of(p.stride_w)}}),
            {}};
}

// ---- Element by element -------------------------------------------------------------------------

/// Commands of an operation: of two tensors, of a tensor and a constant behind it, and before it.
struct OperationRow {
    BmAtomicOp op;
    Opcode tensors;
    std::optional<Opcode> behind, before;
};
// MAX and MIN choose otherwise among NaN when their operands are swapped.
const OperationRow kOperations[] = {
    {BM_MUL, Opcode::bdc_mul, Opcode::bdc_mul_C, Opcode::bdc_mul_C},
    {BM_MAC, Opcode::bdc_mac, Opcode::bdc_mac_C, Opcode::bdc_mac_C},
    {BM_ADD, Opcode::bdc_add, Opcode::bdc_add_C, Opcode::bdc_add_C},
    {BM_SUB, Opcode::bdc_sub, Opcode::bdc_sub_C, Opcode::bdc_C_sub},
    {BM_MAX, Opcode::bdc_max, Opcode::bdc_max_C, std::nullopt},
    {BM_MIN, Opcode::bdc_min, Opcode::bdc_min_C, std::nullopt},
    {BM_AND, Opcode::bdc_32bit_and, Opcode::bdc_32bit_and_C, Opcode::bdc_32bit_and_C},
    {BM_OR, Opcode::bdc_32bit_or, Opcode::bdc_32bit_or_C, Opcode::bdc_32bit_or_C},
    {BM_XOR, Opcode::bdc_32bit_xor, Opcode::bdc_32bit_xor_C, Opcode::bdc_32bit_xor_C},
    {BM_SG, Opcode::bdc_greater_select_value, Opcode::bdc_greater_C_select_value,
     Opcode::bdc_C_greater_select_value},
    {BM_SE, Opcode::bdc_equal_select_value, Opcode::bdc_equal_C_select_value,
     Opcode::bdc_equal_C_select_value},
    {BM_DIV, Opcode::bdc_div, Opcode::bdc_div_C, Opcode::bdc_C_div},
};

struct Elementwise {
    BmAtomicOp op;
    isa::LocalAddr dst, src0, src1;
    Dim4 shape;
    bool is_aligned;  ///< else the strides
    Dim4 dst_stride, src0_stride, src1_stride;
    std::optional<float> first, second;  ///< constants instead of tensors
    float selected = 0;
};

AtomicCommand copied(const Elementwise& e) {
    if (e.first) {
        return {Command::make(Opcode::bdc_32bit_set_C,
                              isa::VectorSet{e.dst, Bits32::from(*e.first), e.shape, e.dst_stride}),
                e.is_aligned ? nulls_at({3}) : NullArguments()};
    }
    return {Command::make(Opcode::bdc_32bit_cpy,
                          isa::VectorUnary{e.dst, e.src0, e.shape, e.dst_stride, e.src0_stride}),
            e.is_aligned ? nulls_at({3, 4}) : NullArguments()};
}

AtomicCommand of_tensors(const OperationRow& row, const Elementwise& e) {
    if (row.op == BM_SG || row.op == BM_SE) {
        return {Command::make(
                    row.tensors,
                    isa::VectorBinarySelect{e.dst, e.src0, e.src1, Bits32::from(e.selected),
                                            e.shape, e.dst_stride, e.src0_stride, e.src1_stride}),
                e.is_aligned ? nulls_at({5, 6, 7}) : NullArguments()};
    }
    // The form of products that are added has the same words.
    return {
        Command::make(row.tensors, isa::VectorBinary{e.dst, e.src0, e.src1, e.shape, e.dst_stride,
                                                     e.src0_stride, e.src1_stride}),
        e.is_aligned ? nulls_at({4, 5, 6}) : NullArguments()};
}

AtomicCommand of_constant(const OperationRow& row, const Elementwise& e) {
    const std::optional<Opcode> opcode = e.first ? row.before : row.behind;
    require_field(opcode.has_value(), "input0_is_const", 1,
                  "this operation takes its constant as the second operand", "swap the operands");
    const isa::LocalAddr src = e.first ? e.src1 : e.src0;
    const Dim4 src_stride = e.first ? e.src1_stride : e.src0_stride;
    const Bits32 constant = Bits32::from(e.first ? *e.first : *e.second);
    if (row.op == BM_SG || row.op == BM_SE) {
        return {Command::make(*opcode, isa::VectorConstantSelect{e.dst, src, constant,
                                                                 Bits32::from(e.selected), e.shape,
                                                                 e.dst_stride, src_stride}),
                e.is_aligned ? nulls_at({5, 6}) : NullArguments()};
    }
    // The forms of products that are added and of raw bits have the same words.
    return {Command::make(*opcode, isa::VectorConstant{e.dst, src, constant, e.shape, e.dst_stride,
                                                       src_stride}),
            e.is_aligned ? nulls_at({4, 5}) : NullArguments()};
}

AtomicCommand elementwise(const Elementwise& e) {
    if (e.op == BM_CPY) return copied(e);
    for (const OperationRow& row : kOperations) {
        if (row.op != e.op) continue;
        require_field(!e.first || !e.second, "input1_is_const", 1,
                      "one operand at least is a tensor", "fill the tensor by BM_CPY");
        return e.first || e.second ? of_constant(row, e) : of_tensors(row, e);
    }
    require_field(false, "op", static_cast<std::uint64_t>(e.op),
                  "the operation is one of BM_MUL, BM_MAC, BM_ADD, BM_SUB, BM_MAX, BM_MIN, BM_AND, "
                  "BM_OR, BM_XOR, BM_SG, BM_SE, BM_DIV and BM_CPY",
                  "call the okk_bdc function of this operation");
    return {};
}

}  // namespace

AtomicCommand command_of_bm_atomic_conv(const ConvParam& p, const MachineShape&) {
    require_no_insertion(p);
    require_field(!p.kernel_is_const, "kernel_is_const", 1,
                  "the documented convolution has a tensor of weights",
                  "fill one by okk_bdc_32bit_set_C()");
    require_field(!p.kernel_flip, "kernel_flip", 1, "the weights must be in their order",
                  "store them in the other one");
    return {Command::make(Opcode::bdc_conv2d,
                          isa::Convolution{{p.output_addr},
                                           {p.input_addr},
                                           {p.weight_addr},
                                           {p.bias_addr},
                                           dims_of(p.input_shape),
                                           signed_of(p.output_c),
                                           signed_of(p.kernel_h),
                                           signed_of(p.kernel_w),
                                           dims_of(p.input_stride),
                                           dims_of(p.kernel_stride),
                                           p.using_bias,
                                           p.result_add,
                                           padding_of(p.pad),
                                           {signed_of(p.stride_h), signed_of(p.stride_w)},
                                           {signed_of(p.dilate_h), signed_of(p.dilate_w)}}),
            {}};
}

AtomicCommand command_of_bm_atomic_depthwise(const DepthwiseParam& p, const MachineShape&) {
    require_no_insertion(p);
    return {Command::make(Opcode::bdc_depthwise2d,
                          isa::Depthwise{{p.output_addr},
                                         {p.input_addr},
                                         {p.weight_addr},
                                         {p.bias_addr},
                                         dims_of(p.input_shape),
                                         signed_of(p.kernel_h),
                                         signed_of(p.kernel_w),
                                         p.using_bias,
                                         padding_of(p.pad),
                                         {signed_of(p.stride_h), signed_of(p.stride_w)},
                                         {signed_of(p.dilate_h), signed_of(p.dilate_w)}}),
            {}};
}

AtomicCommand command_of_bm_atomic_avg_pool(const PoolParam& p, const MachineShape&) {
    return pooled(Opcode::bdc_avg_pool2d, p);
}

AtomicCommand command_of_bm_atomic_max_pool(const PoolParam& p, const MachineShape&) {
    return pooled(Opcode::bdc_max_pool2d, p);
}

AtomicCommand command_of_bm_atomic_sum_pool(const SumPoolParam& p, const MachineShape&) {
    require_no_insertion(p);
    return {Command::make(Opcode::bdc_avg_pool2d_v2,
                          isa::PoolScaled{{p.output_addr},
                                          {p.input_addr},
                                          dims_of(p.input_shape),
                                          Bits32::from(p.coeff),
                                          signed_of(p.kernel_h),
                                          signed_of(p.kernel_w),
                                          padding_of(p.pad),
                                          {signed_of(p.stride_h), signed_of(p.stride_w)}}),
            {}};
}

AtomicCommand command_of_bm_atomic_matmul(const MatmulParam& p, const MachineShape&) {
    require_field(!p.l_trans, "l_trans", 1, "the left side must be stored by rows", "transpose it");
    const std::uint64_t channels =
        p.l_tensor_w == 0 ? 0 : (std::uint64_t{p.l_col} + p.l_tensor_w - 1) / p.l_tensor_w;
    require_field(p.l_tensor_c == channels, "l_tensor_c", p.l_tensor_c,
                  "the channels of the left side must be l_col / l_tensor_w, rounded up",
                  "set it to that number");
    // The command writes all columns of the last channel in any case.
    const std::uint64_t columns = std::uint64_t{p.r_tensor_w} * p.r_tensor_c;
    constexpr std::uint64_t kMost = 0x7FFFFFFF;
    require_field(columns <= kMost, "r_tensor_c", p.r_tensor_c, "a matrix has at most 2^31 columns",
                  "give the channels of the right side");
    return {
        Command::make(Opcode::bdc_matmul, isa::MatrixMultiply{{p.output_addr},
                                                              {p.input_l_addr},
                                                              {p.input_r_addr},
                                                              {p.bias_addr},
                                                              signed_of(p.l_row),
                                                              signed_of(p.l_col),
                                                              static_cast<std::int32_t>(columns),
                                                              signed_of(p.l_tensor_w),
                                                              signed_of(p.r_tensor_w),
                                                              p.using_bias,
                                                              p.result_add}),
        {}};
}

AtomicCommand command_of_bm_atomic_tensor_arithmetic(const ArithParam& p, const MachineShape&) {
    Elementwise e{p.op,
                  {p.output_addr},
                  {p.input0_addr},
                  {p.input1_addr},
                  dims_of(p.shape),
                  false,
                  dims_of(p.output_stride),
                  dims_of(p.input0_stride),
                  dims_of(p.input1_stride),
                  {},
                  {},
                  p.select_value};
    if (p.input0_is_const) e.first = p.input0_const;
    if (p.input1_is_const) e.second = p.input1_const;
    return elementwise(e);
}

AtomicCommand command_of_bm_atomic_md_scalar(const MDScalarParam& p, const MachineShape&) {
    require_field(p.op != BM_SG && p.op != BM_SE, "op", static_cast<std::uint64_t>(p.op),
                  "a selection needs a value", "call bm_atomic_tensor_arithmetic()");
    require_field(!p.result_add || p.op == BM_MUL, "result_add", 1,
                  "only products can be added to their result", "add by okk_bdc_add()");
    Elementwise e{p.result_add ? BM_MAC : p.op,
                  {p.output_addr},
                  {p.input0_addr},
                  {p.input1_addr},
                  dims_of(p.shape),
                  true,
                  {},
                  {},
                  {},
                  {},
                  {},
                  0};
    if (p.input0_is_const) e.first = p.input0_const;
    if (p.input1_is_const) e.second = p.input1_const;
    return elementwise(e);
}

AtomicCommand command_of_bm_atomic_md_sfu(const MDSFUParam& p, const MachineShape&) {
    require_field(p.op == BM_RSQRT || p.op == BM_FP32_INT32, "op", static_cast<std::uint64_t>(p.op),
                  "the operation is BM_RSQRT or BM_FP32_INT32",
                  "call okk_bdc_taylor_exp() or the okk_bdc function of this operation");
    return {
        Command::make(p.op == BM_RSQRT ? Opcode::bdc_rsqrt : Opcode::bdc_fp32_to_int32,
                      isa::VectorUnary{{p.output_addr}, {p.input_addr}, dims_of(p.shape), {}, {}}),
        nulls_at({3, 4})};
}

AtomicCommand command_of_bm_local_act(const ActParam& p, const MachineShape&) {
    const isa::LocalAddr dst = local_of(p.dst_addr, "dst_addr");
    const isa::LocalAddr src = local_of(p.src_addr, "src_addr");
    if (p.act_type == BM_RELU) {
        return {
            Command::make(Opcode::bdc_relu, isa::VectorUnary{dst, src, dims_of(p.shape), {}, {}}),
            nulls_at({3, 4})};
    }
    require_field(p.act_type == BM_TANH || p.act_type == BM_SIGMOID, "act_type",
                  static_cast<std::uint64_t>(p.act_type),
                  "the activation is BM_RELU, BM_TANH or BM_SIGMOID",
                  "compute others by okk_bdc functions");
    return {Command::make(
                p.act_type == BM_TANH ? Opcode::bdc_tanh : Opcode::bdc_sigmoid,
                isa::SequenceWork{dst, src, local_of(p.imm_addr, "imm_addr"), dims_of(p.shape)}),
            {}};
}

}  // namespace okksim::firmware
