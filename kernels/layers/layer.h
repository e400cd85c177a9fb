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

/// What the commands of a layer are.
enum class LayerKind : std::uint8_t {
    /// CONV2D; of weights [OC, 1, 1, H * W * C] for a map [N, H, W, C] the window is the map
    kConvolution,
    kDepthwise,  ///< DEPTHWISE_CONV2D with one output per channel
    kMean,       ///< AVG_POOL2D without padding: a depthwise convolution
    kMaximum,    ///< MAX_POOL2D
    kConcat,     ///< CONCAT of channels; of int8, whole channel slots but for the last operand
    kCrop,       ///< SLICE of all channels from the first one on
    kBody,       ///< an element-wise operator (pointwise/float_body.h)
    kBytes,      ///< one on integers (ByteProgram)
    kWiden,      ///< a map from packed int8
    kNarrow,     ///< a map to packed int8
    // On packed maps, whose elements lie as system memory has them, by commands of their own.
    kPackedConcat,  ///< the same, each operand but the last of whole channel slots
    kPackedCrop,
    // int8 (NativeProgram):
    kByteConvolution,  ///< CONV2D, RESCALE, CLAMP
    kByteDepthwise,    ///< the same of DEPTHWISE_CONV2D with one output per channel
    kByteMaximum,      ///< MAX_POOL2D
    kBytePair,         ///< RESCALE, RESCALE, ADD, RESCALE, CLAMP
    kByteTable,        ///< a function of a byte
    // fp16 and bf16:
    kHalfConvolution,
    kHalfDepthwise,
    kHalfMean,  ///< the operators of the kinds above
    kHalfMaximum,
    kHalfBody
};

/// Whether the layer's maps are packed.
constexpr bool is_native(LayerKind kind) { return kind >= LayerKind::kPackedConcat; }
/// Whether they are of fp16 or bf16 and the layer computes.
constexpr bool computes_halves(LayerKind kind) { return kind >= LayerKind::kHalfConvolution; }

/// CONV2D, whatever its maps: weights may come in pieces.
constexpr bool is_convolution(LayerKind kind) {
    return kind == LayerKind::kConvolution || kind == LayerKind::kByteConvolution ||
           kind == LayerKind::kHalfConvolution;
}
/// One filter per channel.
constexpr bool is_depthwise(LayerKind kind) {
    return kind == LayerKind::kDepthwise || kind == LayerKind::kByteDepthwise ||
           kind == LayerKind::kHalfDepthwise;
}
/// A result comes of windows of the first map.
constexpr bool has_window(LayerKind kind) {
    return is_convolution(kind) || is_depthwise(kind) || kind == LayerKind::kMean ||
           kind == LayerKind::kHalfMean || kind == LayerKind::kMaximum ||
           kind == LayerKind::kByteMaximum || kind == LayerKind::kHalfMaximum;
}
/// Results element by element.
constexpr bool is_by_element(LayerKind kind) {
    return kind == LayerKind::kBody || kind == LayerKind::kBytes || kind == LayerKind::kBytePair ||
           kind == LayerKind::kByteTable || kind == LayerKind::kHalfBody;
}

/// An operator of a group as work on maps (n, c, h, w) in local memory, fp32 words or packed
/// elements in the aligned layout.
struct Layer {
    LayerKind kind = LayerKind::kBody;
    std::int32_t op = 0;    ///< operator of the call
    std::vector<int> maps;  ///< maps in local memory that it reads: values, or parts of a plan
    int output = 0;         ///< the one that it writes
    dim4 in{1, 1, 1, 1};    ///< of the first map
    dim4 out{1, 1, 1, 1};
    dim2 kernel{1, 1}, stride{1, 1}, dilation{1, 1};
    Padding zeros{0, 0, 0, 0};
    /// Of an unfolded convolution (layer_unfold.h): rows of the window that are channels of `in`.
    std::int32_t row_taps = 1;
    std::array<std::int32_t, 3> begin{};  ///< of a crop: image, row, column
    int weights = -1;                     ///< values; -1: none
    int bias = -1;
    bool keeps_nan = true;                         ///< a maximum of NaN is NaN
    int rows = 0;                                  ///< of a ByteProgram: constants per channel
    float offset = 0;                              ///< kWiden, kNarrow: LayerValue::offset
    tosa::DType packed_type = tosa::DType::kFp32;  ///< of the elements of packed maps
    /// Convolutions of packed maps: pieces of its channels are computed for all images at a time,
    /// beside their place, and copied there: commands leave no room between images for other
    /// channels.
    bool copies_pieces = false;

    /// Words that one tap's input channels take in a row of weights: pairs.
    std::int32_t tap_words() const {
        return kind == LayerKind::kConvolution ? (in.c + 1) / 2 * 2 : 1;
    }
    /// Words of one output channel's weights.
    std::int32_t row_words() const { return kernel.h * kernel.w * tap_words(); }
    bool has_constants() const {
        return weights >= 0 || kind == LayerKind::kMean || kind == LayerKind::kHalfMean ||
               kind == LayerKind::kByteTable || rows > 0;
    }
    /// Bytes of an element of its maps in local memory.
    int element_bytes() const { return is_native(kind) ? stored_bytes(packed_type) : 4; }
    bool padded() const {
        return zeros.top != 0 || zeros.bottom != 0 || zeros.left != 0 || zeros.right != 0;
    }
};

/// Whether a machine has the commands of a kind of layer.
bool has_commands(LayerKind kind, const isa::MachineShape& machine);

/// Whether weights for one pixel with all elements of the layer's map as channels are those of a
/// window as large as the map.
bool takes_whole_map(const Layer& layer, const DeviceTensor& weights);

/// Into how many rows of channel slots a command deals the input channels of a convolution: of a
/// map of one pixel with more channels than a command takes they are rows of a window. 0: there is
/// no such number.
std::int32_t channel_rows(const Layer& layer, const Lanes& lanes);

/// The shape (n, c, h, w) of a feature map [N, H, W, C].
dim4 map_shape(const DeviceTensor& tensor);

/// An operator of a group as a layer; nothing where it cannot be one: other types than fp32,
/// int8 and, on machines that have the commands, fp16 and bf16, other operators, operands that
/// broadcast, more than a command takes. Whether sums of int8 stay below 2^24 is the caller's to
/// know. Pure.
std::optional<Layer> layer_of(const LayerOperator& op, std::span<const LayerValue> values,
                              const isa::MachineShape& machine);

}  // namespace okksim::kernels::layers
