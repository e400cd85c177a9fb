// SPDX-License-Identifier: Apache-2.0
// Defines the kernels and networks of the gate.
#include "sim/lab/gate/suite.h"

#include <array>

#include "sim/lab/gate/map_kernels.h"
#include "sim/zoo/zoo.h"

namespace okksim::sim::gate {
namespace {

/// Shape of vectors that is typical of networks.
const Shape kRows{1, 64, 784};

void power(OperatorGraph& g) {
    g.op(OpCode::kPow, tosa::NoAttributes{}, {g.positive(kMap), g.input(DType::kFp32, kMap)},
         DType::kFp32, kMap);
}

void cast(OperatorGraph& g, DType from, DType to) {
    g.op(OpCode::kCast, tosa::NoAttributes{}, {g.input(from, kMap)}, to, kMap);
}

void rescale(OperatorGraph& g) {
    tosa::RescaleAttributes attributes;
    attributes.scale32 = true;
    attributes.rounding_mode = tosa::RoundingMode::kSingleRound;
    // The factor is 2^30 / 2^31: one half.
    g.op(OpCode::kRescale, attributes,
         {g.input(DType::kI32, kMap), g.value(DType::kI32, {1 << 30}), g.value(DType::kI8, {31}),
          g.value(DType::kI32, {0}), g.value(DType::kI8, {3})},
         DType::kI8, kMap);
}

void table(OperatorGraph& g) {
    g.op(OpCode::kTable, tosa::NoAttributes{},
         {g.input(DType::kI8, kMap), g.weights(DType::kI8, {256})}, DType::kI8, kMap);
}

void reduce_sum(OperatorGraph& g) {
    tosa::ReduceSumAttributes attributes;
    attributes.axis = 2;
    g.op(OpCode::kReduceSum, attributes, {g.input(DType::kFp32, kRows)}, DType::kFp32, {1, 64, 1});
}

void reduce_max(OperatorGraph& g) {
    tosa::ReduceMaxAttributes attributes;
    attributes.axis = 2;
    attributes.nan_mode = tosa::NanPropagationMode::kPropagate;
    g.op(OpCode::kReduceMax, attributes, {g.input(DType::kI8, kRows)}, DType::kI8, {1, 64, 1});
}

void argmax(OperatorGraph& g) {
    tosa::ArgmaxAttributes attributes;
    attributes.axis = 2;
    attributes.nan_mode = tosa::NanPropagationMode::kPropagate;
    g.op(OpCode::kArgmax, attributes, {g.input(DType::kFp32, kRows)}, DType::kI32, {1, 64});
}

/// Returns the accumulator type for products of the type.
DType sum_type(DType type) { return type == DType::kFp32 ? DType::kFp32 : DType::kI32; }

/// Adds the zero points of input and weights, or of input and output.
std::array<TensorIndex, 2> zero_points(OperatorGraph& g, DType type) {
    const auto zero = [&] { return type == DType::kFp32 ? g.zero(type) : g.value(type, {0}); };
    return {zero(), zero()};
}

template <typename Attributes>
Attributes window_attributes(std::int32_t pad, DType acc_type) {
    Attributes attributes;
    attributes.pad = {pad, pad, pad, pad};
    attributes.stride = attributes.dilation = {1, 1};
    attributes.acc_type = acc_type;
    return attributes;
}

void convolution(OperatorGraph& g, DType type, std::int32_t kernel) {
    const DType out = sum_type(type);
    const auto zeros = zero_points(g, type);
    g.op(OpCode::kConv2d, window_attributes<tosa::Conv2dAttributes>(kernel / 2, out),
         {g.input(type, kMap), g.weights(type, {64, kernel, kernel, 64}), g.weights(out, {64}),
          zeros[0], zeros[1]},
         out, kMap);
}

void depthwise(OperatorGraph& g, DType type) {
    const DType out = sum_type(type);
    const auto zeros = zero_points(g, type);
    g.op(OpCode::kDepthwiseConv2d, window_attributes<tosa::DepthwiseConv2dAttributes>(1, out),
         {g.input(type, kMap), g.weights(type, {3, 3, 64, 1}), g.weights(out, {64}), zeros[0],
          zeros[1]},
         out, kMap);
}

void transpose_convolution(OperatorGraph& g) {
    tosa::TransposeConv2dAttributes attributes;
    attributes.stride = {2, 2};
    attributes.acc_type = DType::kFp32;
    // (14 - 1) * 2 + 2 = 28.
    g.op(OpCode::kTransposeConv2d, attributes,
         {g.input(DType::kFp32, {1, 14, 14, 64}), g.weights(DType::kFp32, {32, 2, 2, 64}),
          g.weights(DType::kFp32, {32}), g.zero(DType::kFp32), g.zero(DType::kFp32)},
         DType::kFp32, {1, 28, 28, 32});
}

void matmul(OperatorGraph& g, DType type) {
    const DType out = sum_type(type);
    const auto zeros = zero_points(g, type);
    g.op(OpCode::kMatmul, tosa::NoAttributes{},
         {g.input(type, {1, 128, 256}), g.input(type, {1, 256, 192}), zeros[0], zeros[1]}, out,
         {1, 128, 192});
}

void average_pool(OperatorGraph& g, DType type) {
    tosa::AvgPool2dAttributes attributes;
    attributes.kernel = attributes.stride = {2, 2};
    attributes.acc_type = sum_type(type);
    const auto zeros = zero_points(g, type);
    g.op(OpCode::kAvgPool2d, attributes, {g.input(type, kMap), zeros[0], zeros[1]}, type,
         {1, 14, 14, 64});
}

void fourier(OperatorGraph& g) {
    const Shape shape{2, 32, 64};
    g.op_with_two_outputs(OpCode::kFft2d, tosa::Fft2dAttributes{},
                          {g.input(DType::kFp32, shape), g.input(DType::kFp32, shape)},
                          DType::kFp32, shape);
}

void concat(OperatorGraph& g) {
    tosa::ConcatAttributes attributes;
    attributes.axis = 3;
    g.op(OpCode::kConcat, attributes, {g.input(DType::kFp32, kMap), g.input(DType::kFp32, kMap)},
         DType::kFp32, {1, 28, 28, 128});
}

void pad(OperatorGraph& g) {
    g.op(OpCode::kPad, tosa::NoAttributes{},
         {g.input(DType::kFp32, kMap), g.shape({0, 0, 1, 1, 2, 2, 0, 0}), g.zero(DType::kFp32)},
         DType::kFp32, {1, 30, 32, 64});
}

void transpose(OperatorGraph& g, DType type) {
    tosa::TransposeAttributes attributes;
    attributes.perms = {0, 3, 1, 2};
    g.op(OpCode::kTranspose, attributes, {g.input(type, kMap)}, type, {1, 64, 28, 28});
}

void reverse(OperatorGraph& g) {
    tosa::ReverseAttributes attributes;
    attributes.axis = 2;
    g.op(OpCode::kReverse, attributes, {g.input(DType::kFp32, kMap)}, DType::kFp32, kMap);
}

void slice(OperatorGraph& g) {
    g.op(OpCode::kSlice, tosa::NoAttributes{},
         {g.input(DType::kFp32, kMap), g.shape({0, 2, 3, 8}), g.shape({1, 20, 20, 32})},
         DType::kFp32, {1, 20, 20, 32});
}

void tile(OperatorGraph& g) {
    g.op(OpCode::kTile, tosa::NoAttributes{},
         {g.input(DType::kFp32, {1, 14, 14, 64}), g.shape({1, 2, 2, 1})}, DType::kFp32, kMap);
}

void gather(OperatorGraph& g) {
    g.op(OpCode::kGather, tosa::NoAttributes{},
         {g.input(DType::kFp32, {1, 200, 64}), g.indices({1, 50}, 200)}, DType::kFp32, {1, 50, 64});
}

void resize(OperatorGraph& g) {
    tosa::ResizeAttributes attributes;
    attributes.mode = tosa::ResizeMode::kBilinear;
    // Scales by two: output = (14 - 1) * 2 / 1 + 1 = 27.
    g.op(OpCode::kResize, attributes,
         {g.input(DType::kFp32, {1, 14, 14, 64}), g.shape({2, 1, 2, 1}), g.shape({0, 0}),
          g.shape({0, 0})},
         DType::kFp32, {1, 27, 27, 64});
}

GateCase network(const char* name, const char* zoo_name, zoo::Precision precision, int size,
                 double width) {
    return {name, [=] {
                zoo::ZooOptions options;
                options.precision = precision;
                options.size = size;
                options.width = width;
                zoo::ZooModel model = zoo::build_network(zoo_name, options);
                GateGraph graph{std::move(model.graph), {}};
                for (zoo::ZooModel::Input& input : model.inputs) {
                    graph.inputs.push_back(std::move(input.value));
                }
                return graph;
            }};
}

std::vector<GateCase> make_cases() {
    using G = OperatorGraph;
    std::vector<GateCase> cases{
        kernel("add_fp32", [](G& g) { binary(g, OpCode::kAdd, DType::kFp32, DType::kFp32); }),
        kernel("add_i32", [](G& g) { binary(g, OpCode::kAdd, DType::kI32, DType::kI32); }),
        kernel("sub_fp16", [](G& g) { binary(g, OpCode::kSub, DType::kFp16, DType::kFp16); }),
        kernel("mul_fp32", [](G& g) { multiply(g, DType::kFp32); }),
        kernel("mul_i32", [](G& g) { multiply(g, DType::kI32); }),
        kernel("pow_fp32", power),
        kernel("greater_fp32",
               [](G& g) { binary(g, OpCode::kGreater, DType::kFp32, DType::kBool); }),
        kernel("bitwise_and_i16",
               [](G& g) { binary(g, OpCode::kBitwiseAnd, DType::kI16, DType::kI16); }),
        kernel("exp_fp32", [](G& g) { unary(g, OpCode::kExp, DType::kFp32); }),
        kernel("log_fp32", [](G& g) { unary(g, OpCode::kLog, DType::kFp32); }),
        kernel("sin_fp32", [](G& g) { unary(g, OpCode::kSin, DType::kFp32); }),
        kernel("tanh_fp32", [](G& g) { unary(g, OpCode::kTanh, DType::kFp32); }),
        kernel("sigmoid_fp32", [](G& g) { unary(g, OpCode::kSigmoid, DType::kFp32); }),
        kernel("erf_fp32", [](G& g) { unary(g, OpCode::kErf, DType::kFp32); }),
        kernel("rsqrt_fp32", [](G& g) { unary(g, OpCode::kRsqrt, DType::kFp32); }),
        kernel("reciprocal_fp32", [](G& g) { unary(g, OpCode::kReciprocal, DType::kFp32); }),
        // -64 to 64.
        kernel("clamp_i8",
               [](G& g) {
                   clamp(g, DType::kI8, {{0xC0}, 1}, {{0x40}, 1});
               }),
        kernel("cast_fp32_fp16", [](G& g) { cast(g, DType::kFp32, DType::kFp16); }),
        kernel("cast_i8_fp32", [](G& g) { cast(g, DType::kI8, DType::kFp32); }),
        kernel("rescale_i32_i8", rescale),
        kernel("table_i8", table),
        kernel("select_fp32", [](G& g) { select(g, DType::kFp32); }),
        kernel("reduce_sum_fp32", reduce_sum),
        kernel("reduce_max_i8", reduce_max),
        kernel("argmax_fp32", argmax),
        kernel("conv2d_3x3_fp32", [](G& g) { convolution(g, DType::kFp32, 3); }),
        kernel("conv2d_1x1_fp32", [](G& g) { convolution(g, DType::kFp32, 1); }),
        kernel("conv2d_3x3_i8", [](G& g) { convolution(g, DType::kI8, 3); }),
        kernel("depthwise_3x3_fp32", [](G& g) { depthwise(g, DType::kFp32); }),
        kernel("depthwise_3x3_i8", [](G& g) { depthwise(g, DType::kI8); }),
        kernel("transpose_conv2d_fp32", transpose_convolution),
        kernel("matmul_fp32", [](G& g) { matmul(g, DType::kFp32); }),
        kernel("matmul_i8", [](G& g) { matmul(g, DType::kI8); }),
        kernel("avg_pool_fp32", [](G& g) { average_pool(g, DType::kFp32); }),
        kernel("avg_pool_i8", [](G& g) { average_pool(g, DType::kI8); }),
        kernel("max_pool_3x3_fp32", [](G& g) { max_pool(g, DType::kFp32); }),
        kernel("fft2d_fp32", fourier),
        kernel("concat_fp32", concat),
        kernel("pad_fp32", pad),
        kernel("transpose_fp32", [](G& g) { transpose(g, DType::kFp32); }),
        kernel("transpose_i8", [](G& g) { transpose(g, DType::kI8); }),
        kernel("reverse_fp32", reverse),
        kernel("slice_fp32", slice),
        kernel("tile_fp32", tile),
        kernel("gather_fp32", gather),
        kernel("resize_bilinear_fp32", resize),
    };
    for (GateCase& more : group_cases()) cases.push_back(std::move(more));
    using zoo::Precision;
    for (GateCase& more : std::vector<GateCase>{
             network("network_mobilenet_v2_fp32", "mobilenet_v2", Precision::kFp32, 32, 0.25),
             network("network_mobilenet_v2_int8", "mobilenet_v2", Precision::kInt8, 32, 0.25),
             network("network_mobilenet_v2_fp16", "mobilenet_v2", Precision::kFp16, 32, 0.25),
             network("network_resnet18_fp32", "resnet18", Precision::kFp32, 32, 0.25),
             network("network_bert_fp32", "bert", Precision::kFp32, 8, 0.25),
             network("network_bert_int8", "bert", Precision::kInt8, 8, 0.25),
             network("network_lstm_fp32", "lstm", Precision::kFp32, 4, 0.25),
         }) {
        cases.push_back(std::move(more));
    }
    return cases;
}

}  // namespace

const std::vector<GateCase>& gate_cases() {
    static const std::vector<GateCase> cases = make_cases();
    return cases;
}

}  // namespace okksim::sim::gate
