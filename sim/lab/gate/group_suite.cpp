// SPDX-License-Identifier: Apache-2.0
// Defines kernels for which machines may have instructions beyond the API reference.
#include "sim/lab/gate/map_kernels.h"
#include "sim/lab/gate/suite.h"

namespace okksim::sim::gate {
namespace {

template <typename Attributes>
void extremum(OperatorGraph& g, OpCode code, DType type) {
    Attributes attributes;
    attributes.nan_mode = tosa::NanPropagationMode::kPropagate;
    binary(g, code, type, type, attributes);
}

void shift(OperatorGraph& g, OpCode code, tosa::Attributes attributes = tosa::NoAttributes{}) {
    constexpr int kBits = 32;
    g.op(code, std::move(attributes), {g.input(DType::kI32, kMap), g.indices(kMap, kBits)},
         DType::kI32, kMap);
}

void shift_right(OperatorGraph& g, bool round) {
    shift(g, OpCode::kArithmeticRightShift, tosa::ArithmeticRightShiftAttributes{round});
}

/// Windows of 3 x 3 of fp16, or of int16 with int8 weights and int48 sums.
template <typename Attributes>
void windows(OperatorGraph& g, OpCode code, DType type, Shape weight_shape) {
    const bool is_half = type == DType::kFp16;
    const DType weight = is_half ? type : DType::kI8, out = is_half ? type : DType::kI48;
    Attributes attributes;
    attributes.pad = {1, 1, 1, 1};
    attributes.stride = attributes.dilation = {1, 1};
    attributes.acc_type = is_half ? DType::kFp32 : out;
    g.op(code, attributes,
         {g.input(type, kMap), g.weights(weight, std::move(weight_shape)), g.weights(out, {64}),
          g.zero(type), g.zero(weight)},
         out, kMap);
}

void table_words(OperatorGraph& g) {
    g.op(OpCode::kTable, tosa::NoAttributes{},
         {g.input(DType::kI16, kMap), g.weights(DType::kI16, {513})}, DType::kI32, kMap);
}

/// Scatters one row, because no row may be written twice (TOSA 1.0.1, 2.11.2).
void scatter(OperatorGraph& g) {
    g.op(OpCode::kScatter, tosa::NoAttributes{},
         {g.input(DType::kI8, {1, 200, 64}), g.indices({1, 1}, 200),
          g.input(DType::kI8, {1, 1, 64})},
         DType::kI8, {1, 200, 64});
}

void divide(OperatorGraph& g) {
    g.op(OpCode::kIntdiv, tosa::NoAttributes{},
         {g.input(DType::kI32, kMap), g.indices(kMap, 50, 1)}, DType::kI32, kMap);
}

/// Operators along rows that share a kernel. They compute the clamped distance of integers to their
/// row's maximum, and compare it with the lower limit.
void rows(OperatorGraph& g) {
    const Shape all{64, 32}, one{64, 1};
    constexpr DType kType = DType::kI32;
    tosa::ReduceMaxAttributes along;
    along.axis = 1;
    along.nan_mode = tosa::NanPropagationMode::kPropagate;
    tosa::MaximumAttributes above;
    tosa::MinimumAttributes below;
    above.nan_mode = below.nan_mode = tosa::NanPropagationMode::kPropagate;
    const TensorIndex input = g.input(kType, all), low = g.scalar(kType, 2, -100);
    const TensorIndex high = g.scalar(kType, 2, -3);
    const TensorIndex most = g.apply(OpCode::kReduceMax, along, {input}, kType, one);
    const TensorIndex less = g.apply(OpCode::kSub, tosa::NoAttributes{}, {input, most}, kType, all);
    const TensorIndex raised = g.apply(OpCode::kMaximum, above, {less, low}, kType, all);
    const TensorIndex limited = g.apply(OpCode::kMinimum, below, {raised, high}, kType, all);
    g.op(OpCode::kEqual, tosa::NoAttributes{}, {limited, low}, DType::kBool, all);
}

}  // namespace

std::vector<GateCase> group_cases() {
    using G = OperatorGraph;
    return {
        kernel("sub_i32", [](G& g) { binary(g, OpCode::kSub, DType::kI32, DType::kI32); }),
        kernel("maximum_i32",
               [](G& g) { extremum<tosa::MaximumAttributes>(g, OpCode::kMaximum, DType::kI32); }),
        kernel("minimum_i32",
               [](G& g) { extremum<tosa::MinimumAttributes>(g, OpCode::kMinimum, DType::kI32); }),
        kernel("intdiv_i32", divide),
        kernel("rows_i32", rows),
        kernel("abs_i32", [](G& g) { unary(g, OpCode::kAbs, DType::kI32); }),
        kernel("clz_i32", [](G& g) { unary(g, OpCode::kClz, DType::kI32); }),
        kernel("logical_left_shift_i32", [](G& g) { shift(g, OpCode::kLogicalLeftShift); }),
        kernel("logical_right_shift_i32", [](G& g) { shift(g, OpCode::kLogicalRightShift); }),
        kernel("arithmetic_right_shift_i32", [](G& g) { shift_right(g, false); }),
        kernel("arithmetic_right_shift_round_i32", [](G& g) { shift_right(g, true); }),
        kernel("greater_i32", [](G& g) { binary(g, OpCode::kGreater, DType::kI32, DType::kBool); }),
        kernel("greater_equal_i32",
               [](G& g) { binary(g, OpCode::kGreaterEqual, DType::kI32, DType::kBool); }),
        kernel("equal_i32", [](G& g) { binary(g, OpCode::kEqual, DType::kI32, DType::kBool); }),
        kernel("select_i8", [](G& g) { select(g, DType::kI8); }),
        kernel("table_i16", table_words),
        kernel("scatter_i8", scatter),
        kernel("max_pool_3x3_i8", [](G& g) { max_pool(g, DType::kI8); }),
        kernel("conv2d_3x3_i16",
               [](G& g) {
                   windows<tosa::Conv2dAttributes>(g, OpCode::kConv2d, DType::kI16, {64, 3, 3, 64});
               }),
        kernel(
            "conv2d_3x3_fp16",
            [](G& g) {
                windows<tosa::Conv2dAttributes>(g, OpCode::kConv2d, DType::kFp16, {64, 3, 3, 64});
            }),
        kernel("depthwise_3x3_fp16",
               [](G& g) {
                   windows<tosa::DepthwiseConv2dAttributes>(g, OpCode::kDepthwiseConv2d,
                                                            DType::kFp16, {3, 3, 64, 1});
               }),
        kernel("add_fp16", [](G& g) { binary(g, OpCode::kAdd, DType::kFp16, DType::kFp16); }),
        kernel("mul_fp16", [](G& g) { multiply(g, DType::kFp16); }),
        kernel("maximum_fp16",
               [](G& g) { extremum<tosa::MaximumAttributes>(g, OpCode::kMaximum, DType::kFp16); }),
        kernel("minimum_fp16",
               [](G& g) { extremum<tosa::MinimumAttributes>(g, OpCode::kMinimum, DType::kFp16); }),
        // Limits 0 and 6; 6 is 0x4600.
        kernel("clamp_fp16",
               [](G& g) {
                   clamp(g, DType::kFp16, {{}, 2}, {{0x00, 0x46}, 2});
               }),
    };
}

}  // namespace okksim::sim::gate
