// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/operands.h"
#include "models/bdc/layers/local_operand.h"
#include "models/bdc/layers/ordered_gemm.h"

namespace okksim::models::bdc {

/// Accumulators of the convolution's definition.
inline constexpr int kConvolutionAccumulators = 4;

/// A convolution as the product of weight rows with columns of output pixels. The input of a group
/// of images is first copied to padded planes. Their rows are split by column phase (column modulo
/// the horizontal stride). The inputs of neighbouring outputs are then neighbours in memory for
/// every tap, stride and dilation.
struct ConvolutionPlan {
    isa::Convolution operands;
    LocalOperand input;
    LocalOperand weight;  ///< strides in floats, pairs along n
    LocalOperand bias;
    LocalOperand output;
    FloatInterval input_span;
    FloatInterval weight_span;

    std::int64_t images = 0;
    std::int64_t input_c = 0;
    std::int64_t padded_c = 0;  ///< input channels rounded up to even
    std::int64_t output_c = 0;
    std::int64_t output_h = 0;
    std::int64_t output_w = 0;
    std::int64_t taps = 0;
    std::int64_t depth = 0;         ///< taps * padded_c rounded up to the accumulators
    std::int64_t weight_pitch = 0;  ///< floats from one output channel's packed weights to the next

    std::int64_t phase_floats = 0;  ///< one phase of a padded row
    std::int64_t row_floats = 0;
    std::int64_t plane_rows = 0;    ///< of a padded plane
    std::int64_t plane_floats = 0;  ///< from one plane to the next
    std::int64_t image_floats = 0;
    std::int64_t group_images = 1;  ///< images packed at a time

    std::int64_t pixels() const { return output_h * output_w; }
    /// Floats of a packed panel, with slack past its end.
    std::int64_t panel_floats() const { return depth * kPanelUnit + kPanelSlack; }
    /// Offset of a tap's first input from the output pixel's position in the padded plane.
    std::int64_t tap_offset(std::int64_t tap) const;
    /// Floats of scratch that the packed algorithm needs.
    double scratch_floats() const;
};

/// Plans nothing if output_h or output_w is not positive.
ConvolutionPlan plan_convolution(const isa::Convolution& operands, LocalMemory& memory);

/// Copies the weights of output channels [begin, end) to rows of `depth` floats in product order,
/// the first at `packed`. Positions without a product hold -0.
void pack_weights(const ConvolutionPlan& plan, float* packed, std::int64_t begin, std::int64_t end);

/// Packs the weights of output channels [begin, end), below the number of lanes. Also packs all
/// other channels in the same lanes, which share cache lines. `packed` is the row of output channel
/// 0.
void pack_weights_of_lanes(const ConvolutionPlan& plan, float* packed, std::int64_t begin,
                           std::int64_t end);

/// Copies planes [begin, end) (image-major, then channel) of the group that starts at
/// `first_image`.
void pack_input(const ConvolutionPlan& plan, float* packed, std::int64_t first_image,
                std::int64_t begin, std::int64_t end);

/// Computes output channels [begin, end) of one image directly by the definition, without scratch
/// memory. Used for operands (with zero strides) that are much larger than local memory.
void convolve_directly(const ConvolutionPlan& plan, std::int64_t image, std::int64_t begin,
                       std::int64_t end);

}  // namespace okksim::models::bdc
