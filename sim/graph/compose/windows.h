// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

/// One spatial direction of a sliding window. Negative padding crops the feature map.
struct WindowAxis {
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0;  ///< padding
    std::int64_t after = 0;

    std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
};
/// Windows over 1 to 3 spatial directions, outermost first.
using Windows = std::vector<WindowAxis>;

/// Side of the odd element of padding.
enum class OddPadding { kAfter, kBefore };

/// Sets the padding of a convolution or pool to SAME: the output has ceil(input / stride)
/// elements. SAME_UPPER is kAfter, SAME_LOWER is kBefore. VALID is padding of zero.
WindowAxis same_padded(WindowAxis axis, std::int64_t input, OddPadding odd);
/// Returns the number of windows; zero or less if no window fits. With `ceil_mode`, the last
/// window may end after the padding, but starts before its end.
std::int64_t window_count(const WindowAxis& axis, std::int64_t input, bool ceil_mode = false);
/// Sets the padding of a transposed convolution so that its result, which already includes
/// `output_padding`, has `output` elements.
WindowAxis transposed_padding(WindowAxis axis, std::int64_t input, std::int64_t output,
                              std::int64_t output_padding, OddPadding odd);

/// Arrangement of weights: reshape to `from`, permute by `perms`, reshape to `to`.
struct WeightsLayout {
    Shape from;
    std::vector<std::int32_t> perms;
    Shape to;
};
/// Returns the layout that convolution() expects of ONNX weights [O, I/groups, spatial...].
/// It is [spatial..., C, M] if each input channel is a group, else [O, spatial..., I/groups].
WeightsLayout weights_layout(const Shape& weights, std::int64_t groups);
/// Returns the layout that transposed_convolution() expects of ONNX weights
/// [I, O/groups, spatial...]. It is the layout of convolution(), not mirrored.
WeightsLayout transposed_weights_layout(const Shape& weights, std::int64_t groups);
/// Arranges weights. A constant is arranged on the host, so it becomes a new constant.
TensorIndex arranged_weights(OperatorBuilder& ops, TensorIndex weights,
                             const WeightsLayout& layout);
/// True if the weights of a convolution are [spatial..., C, M].
bool is_depthwise(std::int64_t input_channels, std::int64_t groups);

struct ConvolutionOptions {
    std::int64_t groups = 1;
    std::int64_t input_zero_point = 0;  ///< of integers
    std::int64_t weight_zero_point = 0;
    DType accumulator = DType::kUnknown;  ///< kUnknown: fp32, i32 for i8, i48 for i16
    /// Elements added after each direction of a transposed convolution's result; empty for none.
    std::vector<std::int64_t> output_padding;
    /// Applied to the sums of all output channels, [N, ..., O], before they are moved; for example
    /// a RESCALE. i48 sums need it in one direction and if a transposed result is cropped, because
    /// TOSA does not move i48.
    std::function<TensorIndex(TensorIndex)> finish;
};

/// Convolution of `x` [N, spatial..., C] with weights in the order of weights_layout(). The result
/// has the type of `x`, or the accumulator's type for integers, as `bias` [O] has.
TensorIndex convolution(OperatorBuilder& ops, TensorIndex x, TensorIndex weights,
                        std::optional<TensorIndex> bias, const Windows& windows,
                        const ConvolutionOptions& options = {});
/// Transposed convolution with weights in the order of transposed_weights_layout(). Padding crops
/// the result. Output size: stride * (input - 1) + reach - before - after + output_padding.
TensorIndex transposed_convolution(OperatorBuilder& ops, TensorIndex x, TensorIndex weights,
                                   std::optional<TensorIndex> bias, const Windows& windows,
                                   const ConvolutionOptions& options = {});

/// Maximum of each window of `x` [N, spatial..., C]; for i8, i16 and floating-point types.
TensorIndex max_pool(OperatorBuilder& ops, TensorIndex x, const Windows& windows,
                     bool ceil_mode = false);

struct PoolMaxima {
    TensorIndex maxima;
    TensorIndex indices;  ///< i32, with the shape of `maxima`
};
/// Also returns the index of each first maximum in the flat tensor [N, C, spatial...]. With
/// `column_major`, the last spatial direction is the slowest one of the three.
PoolMaxima max_pool_with_indices(OperatorBuilder& ops, TensorIndex x, const Windows& windows,
                                 bool ceil_mode = false, bool column_major = false);
/// Puts each element of `x` at its index in the flat tensor [N, C, spatial...] of zeros. `result`
/// is the shape [N, spatial..., C].
TensorIndex max_unpool(OperatorBuilder& ops, TensorIndex x, TensorIndex indices,
                       const Shape& result);

struct MeanOptions {
    bool ceil_mode = false;
    bool count_include_pad = false;  ///< the padding counts, cells outside it do not
};
/// Mean of each window, of floating-point types.
TensorIndex average_pool(OperatorBuilder& ops, TensorIndex x, const Windows& windows,
                         const MeanOptions& options = {});
/// (sum |x|^p)^(1/p) of each window, of floating-point types.
TensorIndex lp_pool(OperatorBuilder& ops, TensorIndex x, const Windows& windows, double p,
                    bool ceil_mode = false);

/// Pools of all spatial elements of [N, spatial..., C]. The results keep the rank.
TensorIndex global_max_pool(OperatorBuilder& ops, TensorIndex x);
TensorIndex global_average_pool(OperatorBuilder& ops, TensorIndex x);
TensorIndex global_lp_pool(OperatorBuilder& ops, TensorIndex x, double p);

}  // namespace okksim::sim::graph::compose
