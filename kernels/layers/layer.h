// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/okk.h"
#include "kernels/layers/layer_call.h"
#include "kernels/prim/lanes.h"

namespace okksim::kernels::layers {

/// Kind of a layer, which determines its commands.
enum class LayerKind : std::uint8_t {
    /// CONV2D. With weights [OC, 1, 1, H * W * C] for input [N, H, W, C] the window is the whole
    /// input.
    kConvolution,
    kDepthwise,  ///< DEPTHWISE_CONV2D with one output per channel
    kMean,       ///< AVG_POOL2D without padding: a depthwise convolution
    kMaximum,    ///< MAX_POOL2D
    kConcat,     ///< CONCAT of channels; of int8, whole channel slots but for the last operand
    kCrop,       ///< SLICE of all channels from the first one on
    kBody,       ///< an element-wise operator (pointwise/float_body.h)
    kBytes,      ///< an element-wise operator on integers (ByteProgram)
    kWiden,      ///< a feature map from packed int8
    kNarrow,     ///< a feature map to packed int8
    // On packed feature maps, in the element format of system memory, with separate commands.
    kPackedConcat,  ///< CONCAT; each operand but the last has whole channel slots
    kPackedCrop,
    // int8 (NativeProgram):
    kByteConvolution,  ///< CONV2D, RESCALE, CLAMP
    kByteDepthwise,    ///< the same of DEPTHWISE_CONV2D with one output per channel
    kByteMaximum,      ///< MAX_POOL2D
    kBytePair,         ///< RESCALE, RESCALE, ADD, RESCALE, CLAMP
    kByteProduct,      ///< MUL, RESCALE, CLAMP; or RESCALE, RESCALE, MUL, RESCALE, CLAMP
    kByteTable,        ///< a function of a byte
    // fp16 and bf16:
    kHalfConvolution,
    kHalfDepthwise,
    kHalfMean,  ///< the operators of the kinds above
    kHalfMaximum,
    kHalfBody
};

/// True if the layer's feature maps are packed.
constexpr bool is_native(LayerKind kind) { return kind >= LayerKind::kPackedConcat; }
/// True if the layer computes on fp16 or bf16.
constexpr bool computes_halves(LayerKind kind) { return kind >= LayerKind::kHalfConvolution; }

/// True for CONV2D on any element type: its weights may come in pieces.
constexpr bool is_convolution(LayerKind kind) {
    return kind == LayerKind::kConvolution || kind == LayerKind::kByteConvolution ||
           kind == LayerKind::kHalfConvolution;
}
/// One filter per channel.
constexpr bool is_depthwise(LayerKind kind) {
    return kind == LayerKind::kDepthwise || kind == LayerKind::kByteDepthwise ||
           kind == LayerKind::kHalfDepthwise;
}
/// True if the result is computed from windows of the first feature map.
constexpr bool has_window(LayerKind kind) {
    return is_convolution(kind) || is_depthwise(kind) || kind == LayerKind::kMean ||
           kind == LayerKind::kHalfMean || kind == LayerKind::kMaximum ||
           kind == LayerKind::kByteMaximum || kind == LayerKind::kHalfMaximum;
}
/// True if the result is computed element by element.
constexpr bool is_by_element(LayerKind kind) {
    return kind == LayerKind::kBody || kind == LayerKind::kBytes || kind == LayerKind::kBytePair ||
           kind == LayerKind::kByteProduct || kind == LayerKind::kByteTable ||
           kind == LayerKind::kHalfBody;
}

/// Most operands of an element-wise operator.
inline constexpr std::size_t kMostBodyOperands = 3;
inline constexpr std::array<int, kMostBodyOperands> kNoNumbers{-1, -1, -1};

/// An operator of a group on feature maps (n, c, h, w) in local memory. They hold fp32 words or
/// packed elements in the aligned layout.
struct Layer {
    LayerKind kind = LayerKind::kBody;
    std::int32_t op = 0;    ///< operator of the call
    std::vector<int> maps;  ///< inputs in local memory: values, or parts of a plan
    int output = 0;         ///< the value or part that it writes
    dim4 in{1, 1, 1, 1};    ///< shape of the first input
    dim4 out{1, 1, 1, 1};
    dim2 kernel{1, 1}, stride{1, 1}, dilation{1, 1};
    Padding zeros{0, 0, 0, 0};
    /// Rows of the window that are channels of `in`, in an unfolded convolution (layer_unfold.h).
    std::int32_t row_taps = 1;
    std::array<std::int32_t, 3> begin{};  ///< of a crop: image, row, column
    int weights = -1;                     ///< values; -1: none
    int bias = -1;
    bool keeps_nan = true;  ///< a maximum of NaN is NaN
    /// Constants with one number per channel: rows of a ByteProgram, or operands of kBody.
    int rows = 0;
    /// A bit per element of `maps`, from the lowest: a feature map of one pixel that stands for all
    /// pixels of the result.
    std::uint32_t repeated = 0;
    /// kBody: values of the operands that are such constants, by operand. Other operands (-1) are
    /// the elements of `maps`, in order.
    std::array<int, kMostBodyOperands> numbers = kNoNumbers;
    float offset = 0;                              ///< kWiden, kNarrow: LayerValue::offset
    tosa::DType packed_type = tosa::DType::kFp32;  ///< element type of packed feature maps
    /// Convolutions of packed feature maps compute a piece of the channels for all images into
    /// scratch and copy it to the result. Commands write contiguous images and leave no gap for
    /// other channels.
    bool copies_pieces = false;

    /// Words that one tap's input channels take in a row of weights: pairs.
    std::int32_t tap_words() const {
        return kind == LayerKind::kConvolution ? (in.c + 1) / 2 * 2 : 1;
    }
    /// Words of one output channel's weights.
    std::int32_t row_words() const { return kernel.h * kernel.w * tap_words(); }
    bool repeats(std::size_t map) const { return (repeated >> map & 1U) != 0; }
    bool has_constants() const {
        return weights >= 0 || kind == LayerKind::kMean || kind == LayerKind::kHalfMean ||
               kind == LayerKind::kByteTable || rows > 0;
    }
    /// Bytes of an element of its feature maps in local memory.
    int element_bytes() const { return is_native(kind) ? stored_bytes(packed_type) : 4; }
    bool padded() const {
        return zeros.top != 0 || zeros.bottom != 0 || zeros.left != 0 || zeros.right != 0;
    }
};

/// True if the machine has the commands of a kind of layer.
bool has_commands(LayerKind kind, const isa::MachineShape& machine);

/// True if `weights` have one pixel and all elements of the input as channels. They are then
/// weights of a window as large as the input.
bool takes_whole_map(const Layer& layer, const DeviceTensor& weights);

/// Rows into which a command splits the input channels of a convolution. If one pixel has more
/// channels than a command takes, its channels become rows of a window. 0: no such number exists.
std::int32_t channel_rows(const Layer& layer, const Lanes& lanes);

/// The shape (n, c, h, w) of a feature map [N, H, W, C].
dim4 map_shape(const DeviceTensor& tensor);

/// True if an operand of an element-wise operator has one pixel, which stands for all pixels of the
/// result.
constexpr bool repeats_pixel(const dim4& operand, const dim4& result) {
    return operand.h == 1 && operand.w == 1 && (result.h > 1 || result.w > 1);
}

/// Returns an operator of a group as a layer, or nothing if it cannot be one. It needs fp32, int8
/// or, if the machine has the commands, fp16 or bf16. Operands of fp32 may broadcast if they are
/// constants of one number or one per channel, or feature maps of one pixel. Sizes must fit a
/// command. The caller checks that sums of int8 stay below 2^24. Pure.
std::optional<Layer> layer_of(const LayerOperator& op, std::span<const LayerValue> values,
                              const isa::MachineShape& machine);

}  // namespace okksim::kernels::layers
