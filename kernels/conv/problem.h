// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/call/tensor.h"
#include "kernels/conv/feature_maps.h"
#include "kernels/conv/window_axis.h"

/// Convolutions of every kind as one problem. It has feature maps (image, channel, z, y, x),
/// weights per output and input channel and tap, sums of products, and an optional bias. All
/// tensors are in system memory under element strides, which allow any storage order.
namespace okksim::kernels::conv {

/// Weights; strides may be negative. Depthwise weights have no input channel: `output` steps from
/// channel to channel.
struct Weights {
    std::uint64_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    bool prepared = false;   ///< stored as fp32 words minus their zero point, whatever the type
    std::int64_t image = 0;  ///< 0: all images share them
    std::int64_t output = 0, input = 0, z = 0, y = 0, x = 0;

    bool of_each_image() const { return image != 0; }
    tosa::DType stored_type() const { return prepared ? tosa::DType::kFp32 : type; }
};

/// One value per output channel, added to the sum in the output's type.
struct Bias {
    bool present = false;
    bool prepared = false;  ///< stored as parts of fp32 words (BiasParts), `part_stride` apart
    std::uint64_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    std::int64_t stride = 0;  ///< 0: one value for all channels
    std::int64_t part_stride = 0;
    std::int64_t largest = 0;  ///< bound of magnitudes; integers
    int stored_bytes() const { return prepared ? 4 : kernels::stored_bytes(type); }
};

/// Value that is subtracted from the elements of an operand.
struct ZeroPoint {
    const DeviceTensor* operand = nullptr;  ///< the tensor with the value; nullptr: the value is 0
    std::optional<std::int64_t> value = 0;  ///< absent while it is unknown
};

struct Epilogue;

enum class ProblemKind : std::uint8_t { kFull, kDepthwise };

struct Problem {
    ProblemKind kind = ProblemKind::kFull;
    std::int32_t images = 1;
    std::int32_t input_channels = 1;  ///< depthwise: as output_channels
    std::int32_t output_channels = 1;
    WindowAxis z, y, x;
    FeatureMaps input;
    FeatureMaps output;
    Weights weights;
    Bias bias;
    ZeroPoint input_zero;
    ZeroPoint weight_zero;
    /// Operators applied to sums before they are stored (conv/epilogue.h). The type of sums, which
    /// is that of the bias, may then differ from the output's. nullptr: none.
    const Epilogue* epilogue = nullptr;
    std::int32_t first_channel = 0;  ///< epilogue index of this problem's first channel

    /// Number of products per output.
    std::int64_t terms() const {
        const std::int64_t taps = std::int64_t{z.taps} * y.taps * x.taps;
        return kind == ProblemKind::kDepthwise ? taps : taps * input_channels;
    }
};

}  // namespace okksim::kernels::conv
