// SPDX-License-Identifier: Apache-2.0
// The GDMA and BDC functions of okk.h, one per row of the instruction table. A row's form gives the
// parameter list; operands and parameters have the same names and order.
#include "firmware/api_call.h"
#include "firmware/issue.h"
#include "firmware/okk.h"
#include "isa/command.h"

namespace okksim::firmware {
namespace {

isa::LocalAddr operand(local_addr_t address, NullArguments& nulls) {
    nulls.next(false);
    return {address};
}
isa::SystemAddr operand(system_addr_t address, NullArguments& nulls) {
    nulls.next(false);
    return isa::SystemAddr::from(address);
}
std::int32_t operand(int value, NullArguments& nulls) {
    nulls.next(false);
    return value;
}
isa::Bits32 operand(float value, NullArguments& nulls) {
    nulls.next(false);
    return isa::Bits32::from(value);
}
isa::Bits32 operand(x32 value, NullArguments& nulls) {
    nulls.next(false);
    return {value.u32};
}
isa::Bits32 operand(x16 value, NullArguments& nulls) {
    nulls.next(false);
    return {value.u16};
}
isa::Bits32 operand(x8 value, NullArguments& nulls) {
    nulls.next(false);
    return {value.u8};
}
std::uint32_t operand(bool value, NullArguments& nulls) {
    nulls.next(false);
    return value ? 1 : 0;
}
isa::OpType operand(op_type_t value, NullArguments& nulls) {
    nulls.next(false);
    return static_cast<isa::OpType>(value);
}
isa::MulType operand(mul_type_t value, NullArguments& nulls) {
    nulls.next(false);
    return static_cast<isa::MulType>(value);
}
isa::Dim4 operand(const dim4* value, NullArguments& nulls) {
    nulls.next(value == nullptr);
    return value == nullptr ? isa::Dim4{} : isa::Dim4{value->n, value->c, value->h, value->w};
}
isa::Dim2 operand(const dim2* value, NullArguments& nulls) {
    nulls.next(value == nullptr);
    return value == nullptr ? isa::Dim2{} : isa::Dim2{value->h, value->w};
}
isa::Padding operand(const Padding* value, NullArguments& nulls) {
    nulls.next(value == nullptr);
    if (value == nullptr) return {};
    return {value->top, value->bottom, value->left, value->right};
}

/// Carries out a call of the function `function`. Inlined into it so that the frame is the
/// function's. Pointers are read before the runtime is entered: a bad one is the kernel's fault.
template <typename Form, typename... Arguments>
[[gnu::always_inline]] inline void call(isa::Opcode opcode, const char* function,
                                        Arguments... arguments) {
    Context& context = enter_api_call(function, __builtin_frame_address(0));
    NullArguments nulls;
    const Form form{operand(arguments, nulls)...};
    run_api_call(context, [&] { issue_call(context, isa::Command::make(opcode, form), nulls); });
}

/// Strides of the functions that take none: the default layout.
constexpr const dim4* kNoStride = nullptr;

}  // namespace
}  // namespace okksim::firmware

using okksim::firmware::call;
using okksim::firmware::kNoStride;
using okksim::isa::Opcode;

// Parameter types that depend on the row's data type or name.
#define OKKSIM_BITS_kBits32 x32
#define OKKSIM_BITS_kBits16 x16
#define OKKSIM_BITS_kBits8 x8
#define OKKSIM_SHIFTED_bdc_32bit_C_arithmetic_shift int
#define OKKSIM_SHIFTED_bdc_32bit_C_logical_shift unsigned int
#define OKKSIM_SHIFTED_bdc_fixed_point_packed_16bit_C_arithmetic_shift short
#define OKKSIM_SHIFTED_bdc_fixed_point_packed_16bit_C_logical_shift unsigned short

#define OKKSIM_CALL(name, Form, ...) \
    call<okksim::isa::Form>(Opcode::name, "okk_" #name, __VA_ARGS__)

#define OKKSIM_DEFINE_GdmaCopyToLocal(name, data)                                              \
    void okk_##name(local_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,          \
                    const dim4* dst_stride, const dim4* src_stride) {                          \
        OKKSIM_CALL(name, GdmaCopyToLocal, dst_addr, src_addr, shape, dst_stride, src_stride); \
    }
#define OKKSIM_DEFINE_GdmaCopyToSystem(name, data)                                              \
    void okk_##name(system_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,           \
                    const dim4* dst_stride, const dim4* src_stride) {                           \
        OKKSIM_CALL(name, GdmaCopyToSystem, dst_addr, src_addr, shape, dst_stride, src_stride); \
    }
#define OKKSIM_DEFINE_GdmaCopyLocal(name, data)                                              \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,         \
                    const dim4* dst_stride, const dim4* src_stride) {                        \
        OKKSIM_CALL(name, GdmaCopyLocal, dst_addr, src_addr, shape, dst_stride, src_stride); \
    }
#define OKKSIM_DEFINE_GdmaCopySystem(name, data)                                              \
    void okk_##name(system_addr_t dst_addr, system_addr_t src_addr, const dim4* shape,        \
                    const dim4* dst_stride, const dim4* src_stride) {                         \
        OKKSIM_CALL(name, GdmaCopySystem, dst_addr, src_addr, shape, dst_stride, src_stride); \
    }
#define OKKSIM_DEFINE_GdmaMatrixToLocal(name, data)                                            \
    void okk_##name(local_addr_t dst_addr, system_addr_t src_addr, int rows, int cols,         \
                    int cols_per_channel, int row_stride) {                                    \
        OKKSIM_CALL(name, GdmaMatrixToLocal, dst_addr, src_addr, rows, cols, cols_per_channel, \
                    row_stride);                                                               \
    }
#define OKKSIM_DEFINE_GdmaMatrixToSystem(name, data)                                            \
    void okk_##name(system_addr_t dst_addr, local_addr_t src_addr, int rows, int cols,          \
                    int cols_per_channel, int row_stride) {                                     \
        OKKSIM_CALL(name, GdmaMatrixToSystem, dst_addr, src_addr, rows, cols, cols_per_channel, \
                    row_stride);                                                                \
    }
#define OKKSIM_DEFINE_GdmaFillSystem(name, data)                                     \
    void okk_##name(system_addr_t dst_addr, OKKSIM_BITS_##data C, const dim4* shape, \
                    const dim4* dst_stride) {                                        \
        OKKSIM_CALL(name, GdmaFillSystem, dst_addr, C, shape, dst_stride);           \
    }
#define OKKSIM_DEFINE_GdmaFillLocal(name, data)                                     \
    void okk_##name(local_addr_t dst_addr, OKKSIM_BITS_##data C, const dim4* shape, \
                    const dim4* dst_stride) {                                       \
        OKKSIM_CALL(name, GdmaFillLocal, dst_addr, C, shape, dst_stride);           \
    }

#define OKKSIM_DEFINE_VectorBinary(name, data)                                             \
    void okk_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, \
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,    \
                    const dim4* src1_stride) {                                             \
        OKKSIM_CALL(name, VectorBinary, dst_addr, src0_addr, src1_addr, shape, dst_stride, \
                    src0_stride, src1_stride);                                             \
    }
#define OKKSIM_DEFINE_VectorBinarySelect(name, data)                                             \
    void okk_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,       \
                    x32 select_val, const dim4* shape, const dim4* dst_stride,                   \
                    const dim4* src0_stride, const dim4* src1_stride) {                          \
        OKKSIM_CALL(name, VectorBinarySelect, dst_addr, src0_addr, src1_addr, select_val, shape, \
                    dst_stride, src0_stride, src1_stride);                                       \
    }
#define OKKSIM_DEFINE_VectorConstant(name, data)                                                 \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, float C, const dim4* shape,    \
                    const dim4* dst_stride, const dim4* src_stride) {                            \
        OKKSIM_CALL(name, VectorConstant, dst_addr, src_addr, C, shape, dst_stride, src_stride); \
    }
#define OKKSIM_DEFINE_VectorConstantBits(name, data)                                        \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, x32 C, const dim4* shape, \
                    const dim4* dst_stride, const dim4* src_stride) {                       \
        OKKSIM_CALL(name, VectorConstantBits, dst_addr, src_addr, C, shape, dst_stride,     \
                    src_stride);                                                            \
    }
#define OKKSIM_DEFINE_VectorShiftConstant(name, data)                                       \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape, \
                    const dim4* dst_stride, const dim4* src_stride) {                       \
        OKKSIM_CALL(name, VectorShiftConstant, dst_addr, src_addr, C, shape, dst_stride,    \
                    src_stride);                                                            \
    }
#define OKKSIM_DEFINE_VectorConstantShift(name, data)                                          \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, OKKSIM_SHIFTED_##name C,     \
                    const dim4* shape, const dim4* dst_stride, const dim4* src_stride) {       \
        OKKSIM_CALL(name, VectorConstantShift, dst_addr, src_addr, static_cast<int>(C), shape, \
                    dst_stride, src_stride);                                                   \
    }
#define OKKSIM_DEFINE_VectorConstantSelect(name, data)                                     \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, float C, x32 select_val, \
                    const dim4* shape, const dim4* dst_stride, const dim4* src_stride) {   \
        OKKSIM_CALL(name, VectorConstantSelect, dst_addr, src_addr, C, select_val, shape,  \
                    dst_stride, src_stride);                                               \
    }
#define OKKSIM_DEFINE_VectorUnary(name, data)                                              \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,       \
                    const dim4* dst_stride, const dim4* src_stride) {                      \
        OKKSIM_CALL(name, VectorUnary, dst_addr, src_addr, shape, dst_stride, src_stride); \
    }
#define OKKSIM_DEFINE_ALIGNED_VectorUnary(name, data)                                    \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape) {   \
        OKKSIM_CALL(name, VectorUnary, dst_addr, src_addr, shape, kNoStride, kNoStride); \
    }
#define OKKSIM_DEFINE_ALIGNED_VectorSeries(name, data)                                    \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,      \
                    int num_series) {                                                     \
        OKKSIM_CALL(name, VectorSeries, dst_addr, src_addr, shape, num_series, kNoStride, \
                    kNoStride);                                                           \
    }
#define OKKSIM_DEFINE_VectorSet(name, data)                                                    \
    void okk_##name(local_addr_t dst_addr, x32 C, const dim4* shape, const dim4* dst_stride) { \
        OKKSIM_CALL(name, VectorSet, dst_addr, C, shape, dst_stride);                          \
    }
#define OKKSIM_DEFINE_CHANNEL_CONSTANT(name, Form, constant)                                  \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t constant,      \
                    const dim4* shape, const dim4* dst_stride, const dim4* src_stride) {      \
        OKKSIM_CALL(name, Form, dst_addr, src_addr, constant, shape, dst_stride, src_stride); \
    }
#define OKKSIM_DEFINE_VectorBias(name, data) \
    OKKSIM_DEFINE_CHANNEL_CONSTANT(name, VectorBias, bias_addr)
#define OKKSIM_DEFINE_VectorScale(name, data) \
    OKKSIM_DEFINE_CHANNEL_CONSTANT(name, VectorScale, scale_addr)
#define OKKSIM_DEFINE_VectorScaleBias(name, data)                                            \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t scale_addr,   \
                    local_addr_t bias_addr, const dim4* shape, const dim4* dst_stride,       \
                    const dim4* src_stride) {                                                \
        OKKSIM_CALL(name, VectorScaleBias, dst_addr, src_addr, scale_addr, bias_addr, shape, \
                    dst_stride, src_stride);                                                 \
    }

#define OKKSIM_DEFINE_SequenceWork(name, data)                                            \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr, \
                    const dim4* shape) {                                                  \
        OKKSIM_CALL(name, SequenceWork, dst_addr, src_addr, work_addr, shape);            \
    }
#define OKKSIM_DEFINE_SequenceWorkSeries(name, data)                                             \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,        \
                    const dim4* shape, int num_series) {                                         \
        OKKSIM_CALL(name, SequenceWorkSeries, dst_addr, src_addr, work_addr, shape, num_series); \
    }
#define OKKSIM_DEFINE_SequenceInt8ToFp32(name, data)                                           \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,      \
                    const dim4* shape, bool is_signed, bool is_aligned_layout) {               \
        OKKSIM_CALL(name, SequenceInt8ToFp32, dst_addr, src_addr, work_addr, shape, is_signed, \
                    is_aligned_layout);                                                        \
    }
#define OKKSIM_DEFINE_SequenceSplitLow(name, data)                                            \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr,     \
                    const dim4* shape, const dim4* dst_stride, const dim4* src_stride,        \
                    const dim4* work_stride) {                                                \
        OKKSIM_CALL(name, SequenceSplitLow, dst_addr, src_addr, work_addr, shape, dst_stride, \
                    src_stride, work_stride);                                                 \
    }

#define OKKSIM_DEFINE_Convolution(name, data)                                                     \
    void okk_##name(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,  \
                    local_addr_t bias_addr, const dim4* input_shape, int output_c, int kernel_h,  \
                    int kernel_w, const dim4* input_stride, const dim4* kernel_stride,            \
                    bool using_bias, bool result_add, const Padding* padding, const dim2* stride, \
                    const dim2* dilation) {                                                       \
        OKKSIM_CALL(name, Convolution, output_addr, input_addr, weight_addr, bias_addr,           \
                    input_shape, output_c, kernel_h, kernel_w, input_stride, kernel_stride,       \
                    using_bias, result_add, padding, stride, dilation);                           \
    }
#define OKKSIM_DEFINE_Depthwise(name, data)                                                        \
    void okk_##name(local_addr_t output_addr, local_addr_t input_addr, local_addr_t weight_addr,   \
                    local_addr_t bias_addr, const dim4* input_shape, int kernel_h, int kernel_w,   \
                    bool using_bias, const Padding* padding, const dim2* stride,                   \
                    const dim2* dilation) {                                                        \
        OKKSIM_CALL(name, Depthwise, output_addr, input_addr, weight_addr, bias_addr, input_shape, \
                    kernel_h, kernel_w, using_bias, padding, stride, dilation);                    \
    }
#define OKKSIM_DEFINE_Pool(name, data)                                                             \
    void okk_##name(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape,    \
                    int kernel_h, int kernel_w, const Padding* padding, const dim2* stride) {      \
        OKKSIM_CALL(name, Pool, output_addr, input_addr, input_shape, kernel_h, kernel_w, padding, \
                    stride);                                                                       \
    }
#define OKKSIM_DEFINE_PoolScaled(name, data)                                                    \
    void okk_##name(local_addr_t output_addr, local_addr_t input_addr, const dim4* input_shape, \
                    float scale, int kernel_h, int kernel_w, const Padding* padding,            \
                    const dim2* stride) {                                                       \
        OKKSIM_CALL(name, PoolScaled, output_addr, input_addr, input_shape, scale, kernel_h,    \
                    kernel_w, padding, stride);                                                 \
    }
#define OKKSIM_DEFINE_MatrixMultiply(name, data)                                               \
    void okk_##name(local_addr_t output_addr, local_addr_t left_addr, local_addr_t right_addr, \
                    local_addr_t bias_addr, int left_rows, int left_cols, int right_cols,      \
                    int left_cols_per_channel, int right_cols_per_channel, bool using_bias,    \
                    bool result_add) {                                                         \
        OKKSIM_CALL(name, MatrixMultiply, output_addr, left_addr, right_addr, bias_addr,       \
                    left_rows, left_cols, right_cols, left_cols_per_channel,                   \
                    right_cols_per_channel, using_bias, result_add);                           \
    }

#define OKKSIM_DEFINE_FixedBinary(name, data)                                              \
    void okk_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, \
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,    \
                    const dim4* src1_stride, op_type_t op_type, int rshift) {              \
        OKKSIM_CALL(name, FixedBinary, dst_addr, src0_addr, src1_addr, shape, dst_stride,  \
                    src0_stride, src1_stride, op_type, rshift);                            \
    }
#define OKKSIM_DEFINE_FixedConstant(name, data)                                                \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape,    \
                    const dim4* dst_stride, const dim4* src_stride, op_type_t op_type,         \
                    int rshift) {                                                              \
        OKKSIM_CALL(name, FixedConstant, dst_addr, src_addr, C, shape, dst_stride, src_stride, \
                    op_type, rshift);                                                          \
    }
#define OKKSIM_DEFINE_FixedMac(name, data)                                                    \
    void okk_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,    \
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,       \
                    const dim4* src1_stride, bool is_origin_dst_signed, op_type_t op_type,    \
                    int lshift, int rshift) {                                                 \
        OKKSIM_CALL(name, FixedMac, dst_addr, src0_addr, src1_addr, shape, dst_stride,        \
                    src0_stride, src1_stride, is_origin_dst_signed, op_type, lshift, rshift); \
    }
#define OKKSIM_DEFINE_FixedMacConstant(name, data)                                                \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape,       \
                    const dim4* dst_stride, const dim4* src_stride, bool is_origin_dst_signed,    \
                    op_type_t op_type, int lshift, int rshift) {                                  \
        OKKSIM_CALL(name, FixedMacConstant, dst_addr, src_addr, C, shape, dst_stride, src_stride, \
                    is_origin_dst_signed, op_type, lshift, rshift);                               \
    }
#define OKKSIM_DEFINE_FixedCompare(name, data)                                             \
    void okk_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, \
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,    \
                    const dim4* src1_stride, op_type_t op_type) {                          \
        OKKSIM_CALL(name, FixedCompare, dst_addr, src0_addr, src1_addr, shape, dst_stride, \
                    src0_stride, src1_stride, op_type);                                    \
    }
#define OKKSIM_DEFINE_FixedCompareConstant(name, data)                                      \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape, \
                    const dim4* dst_stride, const dim4* src_stride, op_type_t op_type) {    \
        OKKSIM_CALL(name, FixedCompareConstant, dst_addr, src_addr, C, shape, dst_stride,   \
                    src_stride, op_type);                                                   \
    }
#define OKKSIM_DEFINE_FixedShift(name, data)                                               \
    void okk_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, \
                    const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,    \
                    const dim4* src1_stride) {                                             \
        OKKSIM_CALL(name, FixedShift, dst_addr, src0_addr, src1_addr, shape, dst_stride,   \
                    src0_stride, src1_stride);                                             \
    }
#define OKKSIM_DEFINE_FixedShiftConstant(name, data)                                          \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, short C, const dim4* shape, \
                    const dim4* dst_stride, const dim4* src_stride) {                         \
        OKKSIM_CALL(name, FixedShiftConstant, dst_addr, src_addr, static_cast<int>(C), shape, \
                    dst_stride, src_stride);                                                  \
    }
#define OKKSIM_DEFINE_FixedConstantShift(name, data)                                          \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, OKKSIM_SHIFTED_##name C,    \
                    const dim4* shape, const dim4* dst_stride, const dim4* src_stride) {      \
        OKKSIM_CALL(name, FixedConstantShift, dst_addr, src_addr, static_cast<int>(C), shape, \
                    dst_stride, src_stride);                                                  \
    }
#define OKKSIM_DEFINE_FixedMul16By8(name, data)                                                  \
    void okk_##name(local_addr_t dst_addr, local_addr_t src0_high_addr,                          \
                    local_addr_t src0_low_addr, local_addr_t src1_addr, const dim4* shape,       \
                    const dim4* dst_stride, const dim4* src0_high_stride,                        \
                    const dim4* src0_low_stride, const dim4* src1_stride, mul_type_t mul_type,   \
                    int rshift) {                                                                \
        OKKSIM_CALL(name, FixedMul16By8, dst_addr, src0_high_addr, src0_low_addr, src1_addr,     \
                    shape, dst_stride, src0_high_stride, src0_low_stride, src1_stride, mul_type, \
                    rshift);                                                                     \
    }
#define OKKSIM_DEFINE_FixedSplitHigh(name, data)                                              \
    void okk_##name(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,          \
                    const dim4* dst_stride, const dim4* src_stride) {                         \
        OKKSIM_CALL(name, FixedSplitHigh, dst_addr, src_addr, shape, dst_stride, src_stride); \
    }

// A row's kind chooses between the forms with and without stride arguments.
#define OKKSIM_DEFINE_kCommand(name, form, data) OKKSIM_DEFINE_##form(name, data)
#define OKKSIM_DEFINE_kAlignedLayout(name, form, data) OKKSIM_DEFINE_ALIGNED_##form(name, data)
#define OKKSIM_DEFINE_kSequence(name, form, data) OKKSIM_DEFINE_##form(name, data)
#define OKKSIM_DEFINE_kCommandOnly(name, form, data)

extern "C" {
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, meaning) \
    OKKSIM_DEFINE_##kind(name, form, data)
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
}
