// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/graph/operator_builder.h"

/// Normalisations of fp32, fp16 and bf16 values, computed in fp32. Results have the type and shape
/// of `x`. `axes` are sorted and not negative. `scale` and `bias` broadcast: dimensions of 1, and
/// leading ones for a lower rank.
namespace okksim::sim::graph::compose {

/// e^(x - max) / sum over all axes together.
TensorIndex softmax(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes);
TensorIndex log_softmax(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes);
/// 1 at the first maximum along the axis, else 0.
TensorIndex hardmax(OperatorBuilder& ops, TensorIndex x, std::size_t axis);

/// (x - mean) / sqrt(variance + epsilon) scale + bias.
struct Normalised {
    TensorIndex result = 0;
    /// Statistics, only on request: fp32, dimensions of 1 at the axes.
    TensorIndex mean = 0;
    TensorIndex inverse_deviation = 0;  ///< 1 / sqrt(variance + epsilon)
};
Normalised layer_norm(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes,
                      double epsilon, std::optional<TensorIndex> scale,
                      std::optional<TensorIndex> bias, bool wants_statistics = false);
/// x / sqrt(mean of squares + epsilon) scale. The results have no mean.
Normalised rms_norm(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& axes,
                    double epsilon, std::optional<TensorIndex> scale,
                    bool wants_statistics = false);
/// Feature maps [N,...,C]: statistics are those of an image and channel. `scale` and `bias` have
/// shape [C].
TensorIndex instance_norm(OperatorBuilder& ops, TensorIndex x, double epsilon,
                          std::optional<TensorIndex> scale, std::optional<TensorIndex> bias);
/// Feature maps [N,...,C]: statistics are those of an image and a group of C / groups channels.
/// `scale` and `bias` have shape [C] or [groups].
TensorIndex group_norm(OperatorBuilder& ops, TensorIndex x, std::int64_t groups, double epsilon,
                       std::optional<TensorIndex> scale, std::optional<TensorIndex> bias);
/// (x - mean) / (deviation + 1e-9), without an epsilon in the root (ONNX).
TensorIndex mean_variance_normalisation(OperatorBuilder& ops, TensorIndex x,
                                        const std::vector<std::size_t>& axes);
/// x / (sum |x|^p)^(1/p) along the axis; p is 1 or 2. A norm of 0 gives 0 (ONNX).
TensorIndex lp_normalisation(OperatorBuilder& ops, TensorIndex x, int p, std::size_t axis);
/// x / (bias + alpha sum of squares)^beta. The sum has `size` neighbours along the axis,
/// (size - 1) / 2 of them before. ONNX divides alpha by size: the caller does.
TensorIndex local_response_normalisation(OperatorBuilder& ops, TensorIndex x, std::int64_t size,
                                         double alpha, double beta, double bias, std::size_t axis);

/// x scale + offset, for parameters of a batch normalisation that are known.
struct ChannelLines {
    std::vector<double> scale;
    std::vector<double> offset;
};
/// (x - mean) / sqrt(variance + epsilon) scale + bias as lines, for x itself or for the weights of
/// a convolution before it.
ChannelLines fold_batch_norm(std::span<const double> scale, std::span<const double> bias,
                             std::span<const double> mean, std::span<const double> variance,
                             double epsilon);
/// x scale + offset per channel of the axis. Omits steps that change nothing.
TensorIndex scale_channels(OperatorBuilder& ops, TensorIndex x, std::size_t axis,
                           const ChannelLines& lines);
/// Batch normalisation with parameters of run time, each [C] for the channels of the axis.
struct BatchNormOperands {
    TensorIndex scale = 0;
    TensorIndex bias = 0;
    TensorIndex mean = 0;
    TensorIndex variance = 0;
};
TensorIndex batch_norm(OperatorBuilder& ops, TensorIndex x, std::size_t axis,
                       const BatchNormOperands& operands, double epsilon);

}  // namespace okksim::sim::graph::compose
