// SPDX-License-Identifier: Apache-2.0
// Convolutions, FULLY_CONNECTED, MATMUL, pools and Fourier transforms.
#include "sim/graph/tosa_v090/tosa_v090_lowering.h"

namespace okksim::sim::graph {

LoweringV090::ProductOperands LoweringV090::convolution_operands(const OperatorV090& op,
                                                                 std::int32_t input_zp,
                                                                 std::int32_t weight_zp) {
    require_operands(op, 3, 1);
    ProductOperands operands{op.inputs, output(op).type};
    const DType in = input(op, 0).type;
    // 1.0 has no mixed form, so both operands are widened exactly and summed in fp32.
    const bool is_mixed =
        (in == DType::kFp16 || in == DType::kBf16) && output(op).type == DType::kFp32;
    if (is_mixed && input(op, 1).type == in) {
        operands.inputs[0] = cast(op.inputs[0], DType::kFp32, "input_fp32");
        operands.inputs[1] = cast(op.inputs[1], DType::kFp32, "weight_fp32");
    }
    operands.inputs.push_back(scalar(op, b_.tensor(operands.inputs[0]).type, input_zp, "input_zp"));
    operands.inputs.push_back(
        scalar(op, b_.tensor(operands.inputs[1]).type, weight_zp, "weight_zp"));
    return operands;
}

TensorIndex LoweringV090::constant_view(TensorIndex of, Shape shape, std::string_view role) {
    const Tensor& source = b_.tensor(of);
    if (source.has_data) {
        return b_.constant_bytes(source.type, std::move(shape), source.data, role);
    }
    const TensorIndex dimensions = b_.shape_value(shape, std::string(role) + "_shape");
    const DType type = b_.tensor(of).type;
    return b_.add(OpCode::kReshape, NoAttributes{}, {of, dimensions}, type, std::move(shape), role);
}

void LoweringV090::lower_fully_connected(const OperatorV090& op) {
    const auto& a = attribute<wire090::FullyConnectedAttribute>(op, "FullyConnectedAttribute");
    require_operands(op, 3, 1);
    for (std::size_t i = 0; i < 2; ++i) {
        if (input(op, i).shape.size() == 2) continue;
        illegal(op, "tensor " + input(op, i).name, shape_text(input(op, i).shape),
                "input and weight of FULLY_CONNECTED have rank 2");
    }
    const Shape in = input(op, 0).shape;
    const Shape weight = input(op, 1).shape;
    const Shape wanted{in[0], weight[0]};
    if (output(op).shape != wanted) {
        illegal(op, "tensor " + output(op).name, shape_text(output(op).shape),
                "the output of FULLY_CONNECTED is [N,OC], here " + shape_text(wanted));
    }
    OperatorV090 convolution = op;
    convolution.inputs[0] = constant_view(op.inputs[0], {in[0], 1, 1, in[1]}, "input_4d");
    convolution.inputs[1] = constant_view(op.inputs[1], {weight[0], 1, 1, weight[1]}, "weight_4d");
    const auto operands = convolution_operands(convolution, a.input_zp(), a.weight_zp());
    const Conv2dAttributes attributes{{0, 0, 0, 0}, {1, 1}, {1, 1}, false, operands.acc_type};
    const TensorIndex sums = b_.add(OpCode::kConv2d, attributes, operands.inputs, output(op).type,
                                    {in[0], 1, 1, weight[0]}, "output_4d");
    const TensorIndex shape = b_.shape_value(wanted, "output_shape");
    b_.add(OpCode::kReshape, NoAttributes{}, {sums, shape}, op.outputs);
}

void LoweringV090::lower_transpose_convolution(const OperatorV090& op) {
    const auto& a = attribute<wire090::TransposeConvAttribute>(op, "TransposeConvAttribute");
    const ProductOperands operands = convolution_operands(op, a.input_zp(), a.weight_zp());
    const TransposeConv2dAttributes attributes{fixed<4>(op, a.out_pad(), "out_pad"),
                                               fixed<2>(op, a.stride(), "stride"), a.local_bound(),
                                               operands.acc_type};
    b_.add(OpCode::kTransposeConv2d, attributes, operands.inputs, op.outputs);
}

void LoweringV090::lower_matmul(const OperatorV090& op) {
    require_operands(op, 2, 1);
    const auto& a = attribute<wire090::MatMulAttribute>(op, "MatMulAttribute");
    const TensorIndex a_zp = scalar(op, input(op, 0).type, a.a_zp(), "a_zp");
    const TensorIndex b_zp = scalar(op, input(op, 1).type, a.b_zp(), "b_zp");
    b_.add(OpCode::kMatmul, NoAttributes{}, {op.inputs[0], op.inputs[1], a_zp, b_zp}, op.outputs);
}

void LoweringV090::lower_avg_pool(const OperatorV090& op) {
    require_operands(op, 1, 1);
    const auto& a = attribute<wire090::PoolAttribute>(op, "PoolAttribute");
    const TensorIndex input_zp = scalar(op, input(op, 0).type, a.input_zp(), "input_zp");
    const TensorIndex output_zp = scalar(op, output(op).type, a.output_zp(), "output_zp");
    const AvgPool2dAttributes attributes{
        fixed<2>(op, a.kernel(), "kernel"), fixed<2>(op, a.stride(), "stride"),
        fixed<4>(op, a.pad(), "pad"), type_of_v090(a.accum_dtype())};
    b_.add(OpCode::kAvgPool2d, attributes, {op.inputs[0], input_zp, output_zp}, op.outputs);
}

void LoweringV090::lower_max_pool(const OperatorV090& op) {
    const auto& a = attribute<wire090::PoolAttribute>(op, "PoolAttribute");
    const MaxPool2dAttributes attributes{
        fixed<2>(op, a.kernel(), "kernel"), fixed<2>(op, a.stride(), "stride"),
        fixed<4>(op, a.pad(), "pad"), NanPropagationMode::kPropagate};
    b_.add(OpCode::kMaxPool2d, attributes, op.inputs, op.outputs);
}

void LoweringV090::lower_fft(const OperatorV090& op) {
    const auto& a = attribute<wire090::FFTAttribute>(op, "FFTAttribute");
    b_.add(OpCode::kFft2d, Fft2dAttributes{a.inverse(), a.local_bound()}, op.inputs, op.outputs);
}

void LoweringV090::lower_rfft(const OperatorV090& op) {
    const auto& a = attribute<wire090::RFFTAttribute>(op, "RFFTAttribute");
    b_.add(OpCode::kRfft2d, Rfft2dAttributes{a.local_bound()}, op.inputs, op.outputs);
}

}  // namespace okksim::sim::graph
