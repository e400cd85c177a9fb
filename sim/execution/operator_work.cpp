// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/operator_work.h"

#include <cmath>

#include "kernels/tosa/operator_row.h"

namespace okksim::sim::execution {
namespace {

using tosa::Work;

constexpr double kMultiplyAdd = 2;

double count(const graph::Tensor& tensor) {
    return static_cast<double>(graph::element_count(tensor.shape).value_or(0));
}

double extent(const graph::Tensor& tensor, std::size_t dimension) {
    return static_cast<double>(tensor.shape.get().at(dimension));
}

/// Operations for every batch: 5 n log2(n) for the n points of the last two dimensions (Cooley and
/// Tukey).
double fourier(const graph::Tensor& input) {
    constexpr double kPerPointAndStage = 5;
    const double points = extent(input, 1) * extent(input, 2);
    return kPerPointAndStage * count(input) * std::log2(points);
}

/// Returns the taps of a pool's window.
double taps(const graph::Operator& op) {
    const auto& kernel = op.op == tosa::OpCode::kAvgPool2d
                             ? op.attributes_as<tosa::AvgPool2dAttributes>().kernel
                             : op.attributes_as<tosa::MaxPool2dAttributes>().kernel;
    double product = 1;
    for (const auto size : kernel) product *= static_cast<double>(size);
    return product;
}

/// Operations of convolutions whose weights have the output channels first. The other dimensions
/// are the products of one output.
double convolution(const graph::Tensor& weights, const graph::Tensor& output) {
    return kMultiplyAdd * count(output) * count(weights) / extent(weights, 0);
}

/// The weights are [height, width, channels, multiplier].
double depthwise(const graph::Tensor& weights, const graph::Tensor& output) {
    return kMultiplyAdd * count(output) * extent(weights, 0) * extent(weights, 1);
}

/// Every input element is multiplied with all weights of its channel, the last dimension of both.
double transpose_convolution(const graph::Tensor& input, const graph::Tensor& weights) {
    return kMultiplyAdd * count(input) * count(weights) / static_cast<double>(weights.shape.back());
}

}  // namespace

std::optional<double> useful_operations(const graph::Block& block, const graph::Operator& op) {
    const auto results = [&] { return count(block.output(op, 0)); };
    switch (tosa::operator_row(op.op).work) {
        case Work::kUnknown: return std::nullopt;
        case Work::kNone: return 0;
        case Work::kResults: return results();
        case Work::kReduction: return count(block.input(op, 0));
        case Work::kPool: return results() * taps(op);
        case Work::kConvolution: return convolution(block.input(op, 1), block.output(op, 0));
        case Work::kDepthwise: return depthwise(block.input(op, 1), block.output(op, 0));
        case Work::kTransposeConvolution:
            return transpose_convolution(block.input(op, 0), block.input(op, 1));
        case Work::kMatmul: return kMultiplyAdd * results() * extent(block.input(op, 0), 2);
        case Work::kFourier: return fourier(block.input(op, 0));
        case Work::kHalfFourier: return fourier(block.input(op, 0)) / 2;
    }
    __builtin_unreachable();
}

}  // namespace okksim::sim::execution
