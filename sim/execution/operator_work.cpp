// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/operator_work.h"

#include <cmath>

namespace okksim::sim::execution {
namespace {

using tosa::OpCode;

constexpr double kMultiplyAdd = 2;

double count(const graph::Tensor& tensor) {
    return static_cast<double>(graph::element_count(tensor.shape).value_or(0));
}

double extent(const graph::Tensor& tensor, std::size_t dimension) {
    return static_cast<double>(tensor.shape.at(dimension));
}

/// Points of the last two dimensions, for every batch: 5 n log2(n) each (Cooley and Tukey).
double fourier(const graph::Tensor& input) {
    constexpr double kPerPointAndStage = 5;
    const double points = extent(input, 1) * extent(input, 2);
    return kPerPointAndStage * count(input) * std::log2(points);
}

/// Multiply-accumulates of a window: taps of one output and input channel.
template <typename Kernel>
double taps(const Kernel& kernel) {
    double product = 1;
    for (const auto size : kernel) product *= static_cast<double>(size);
    return product;
}

/// The convolutions whose weights are output channels, then all that one output sums up.
double convolution(const graph::Tensor& weights, const graph::Tensor& output) {
    return kMultiplyAdd * count(output) * count(weights) / extent(weights, 0);
}

/// Weights: height, width, channels, multiplier.
double depthwise(const graph::Tensor& weights, const graph::Tensor& output) {
    return kMultiplyAdd * count(output) * extent(weights, 0) * extent(weights, 1);
}

/// Every input meets all weights of its channel, which is the last dimension of both.
double transpose_convolution(const graph::Tensor& input, const graph::Tensor& weights) {
    return kMultiplyAdd * count(input) * count(weights) / static_cast<double>(weights.shape.back());
}

}  // namespace

std::optional<double> useful_operations(const graph::Block& block, const graph::Operator& op) {
    const auto results = [&] { return count(block.output(op, 0)); };
    switch (op.op) {
        case OpCode::kCustom: return std::nullopt;
        case OpCode::kAvgPool2d:
            return results() * taps(op.attributes_as<tosa::AvgPool2dAttributes>().kernel);
        case OpCode::kMaxPool2d:
            return results() * taps(op.attributes_as<tosa::MaxPool2dAttributes>().kernel);
        case OpCode::kConv2d:
        case OpCode::kConv3d: return convolution(block.input(op, 1), block.output(op, 0));
        case OpCode::kDepthwiseConv2d: return depthwise(block.input(op, 1), block.output(op, 0));
        case OpCode::kTransposeConv2d:
            return transpose_convolution(block.input(op, 0), block.input(op, 1));
        case OpCode::kMatmul: return kMultiplyAdd * results() * extent(block.input(op, 0), 2);
        case OpCode::kFft2d: return fourier(block.input(op, 0));
        case OpCode::kRfft2d: return fourier(block.input(op, 0)) / 2;
        case OpCode::kArgmax:
        case OpCode::kReduceAll:
        case OpCode::kReduceAny:
        case OpCode::kReduceMax:
        case OpCode::kReduceMin:
        case OpCode::kReduceProduct:
        case OpCode::kReduceSum: return count(block.input(op, 0));
        case OpCode::kConcat:
        case OpCode::kPad:
        case OpCode::kReshape:
        case OpCode::kReverse:
        case OpCode::kSlice:
        case OpCode::kTile:
        case OpCode::kTranspose:
        case OpCode::kGather:
        case OpCode::kScatter:
        case OpCode::kConst:
        case OpCode::kIdentity:
        case OpCode::kCondIf:
        case OpCode::kWhileLoop:
        case OpCode::kVariable:
        case OpCode::kVariableWrite:
        case OpCode::kVariableRead:
        case OpCode::kConstShape: return 0;
        case OpCode::kClamp:
        case OpCode::kErf:
        case OpCode::kSigmoid:
        case OpCode::kTanh:
        case OpCode::kAdd:
        case OpCode::kArithmeticRightShift:
        case OpCode::kBitwiseAnd:
        case OpCode::kBitwiseOr:
        case OpCode::kBitwiseXor:
        case OpCode::kIntdiv:
        case OpCode::kLogicalAnd:
        case OpCode::kLogicalLeftShift:
        case OpCode::kLogicalRightShift:
        case OpCode::kLogicalOr:
        case OpCode::kLogicalXor:
        case OpCode::kMaximum:
        case OpCode::kMinimum:
        case OpCode::kMul:
        case OpCode::kPow:
        case OpCode::kSub:
        case OpCode::kTable:
        case OpCode::kAbs:
        case OpCode::kBitwiseNot:
        case OpCode::kCeil:
        case OpCode::kClz:
        case OpCode::kCos:
        case OpCode::kExp:
        case OpCode::kFloor:
        case OpCode::kLog:
        case OpCode::kLogicalNot:
        case OpCode::kNegate:
        case OpCode::kReciprocal:
        case OpCode::kRsqrt:
        case OpCode::kSin:
        case OpCode::kSelect:
        case OpCode::kEqual:
        case OpCode::kGreater:
        case OpCode::kGreaterEqual:
        case OpCode::kResize:
        case OpCode::kCast:
        case OpCode::kRescale: return results();
    }
    __builtin_unreachable();
}

}  // namespace okksim::sim::execution
