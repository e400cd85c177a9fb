// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/graph/operator_builder.h"

namespace okksim::sim::graph::compose {

/// Coordinate transformations of ONNX Resize.
enum class Coordinates {
    kHalfPixel,
    kHalfPixelSymmetric,
    kPytorchHalfPixel,
    kAlignCorners,
    kAsymmetric,
    kTfHalfPixelForNn,
    kTfCropAndResize,
};
/// Rounding of nearest mode: half down, half up, floor, ceil.
enum class NearestRounding { kPreferFloor, kPreferCeil, kFloor, kCeil };
enum class ResizeMethod { kNearest, kLinear, kCubic };

/// One direction of a resize.
struct ResizeAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    double scale = 1;      ///< of the file, or output / input
    double roi_start = 0;  ///< of kTfCropAndResize
    double roi_end = 1;
};

struct ResizeOptions {
    ResizeMethod method = ResizeMethod::kNearest;
    Coordinates coordinates = Coordinates::kHalfPixel;
    NearestRounding rounding = NearestRounding::kPreferFloor;
    double cubic_coefficient = -0.75;
    bool exclude_outside = false;
    bool antialias = false;
    double extrapolation_value = 0;  ///< of kTfCropAndResize
};

/// Returns the position in the input of output element `i`.
double source_position(const ResizeAxis& axis, Coordinates coordinates, std::int64_t i);
/// Returns the input element of each output element in nearest mode; -1 if it is extrapolated.
std::vector<std::int64_t> nearest_table(const ResizeAxis& axis, const ResizeOptions& options);
/// Returns the weights [output][input] of linear or cubic mode, row-major. An extrapolated row
/// has only zeros.
std::vector<double> resize_weights(const ResizeAxis& axis, const ResizeOptions& options);

/// Policies of ONNX Resize for `sizes`.
enum class AspectPolicy { kStretch, kNotLarger, kNotSmaller };
/// Returns the resized directions of `input` for the sizes that the file gives.
std::vector<ResizeAxis> axes_of_sizes(const std::vector<std::int64_t>& input,
                                      const std::vector<std::int64_t>& sizes, AspectPolicy policy);
/// Returns the resized directions for scales: output = floor(input * scale).
std::vector<ResizeAxis> axes_of_scales(const std::vector<std::int64_t>& input,
                                       const std::vector<double>& scales);

/// Resizes dimension `dimensions[i]` of `x` as `axes[i]` says. Uses RESIZE for dimensions 1 and 2
/// of [N,H,W,C] if its fractions represent the coordinates, else GATHER or MATMUL. Linear and cubic
/// modes need a floating-point type.
TensorIndex resize(OperatorBuilder& ops, TensorIndex x, const std::vector<std::size_t>& dimensions,
                   const std::vector<ResizeAxis>& axes, const ResizeOptions& options);
/// Elements along one dimension, by a table of nearest_table().
TensorIndex resize_axis_table(OperatorBuilder& ops, TensorIndex x, std::size_t dimension,
                              const std::vector<std::int64_t>& table, double extrapolation_value);
/// Weighted sums along one dimension, with weights [output][input].
TensorIndex resize_axis_weights(OperatorBuilder& ops, TensorIndex x, std::size_t dimension,
                                const std::vector<double>& weights, std::int64_t output);

/// Scale, offset and border of TOSA's RESIZE in one direction.
struct ResizeTerms {
    std::int64_t numerator = 1;
    std::int64_t denominator = 1;
    std::int64_t offset = 0;
    std::int64_t border = 0;
    std::int64_t output = 1;
};
/// Returns the terms for linear mode, or for nearest mode if RESIZE takes the same elements;
/// nothing if they do not exist at level 8K.
std::optional<ResizeTerms> resize_terms(const ResizeAxis& axis, const ResizeOptions& options);
/// RESIZE of [N,H,W,C]. The result of a linear mode is i32 for i8 and i48 for i16; it is the
/// result times both numerators.
TensorIndex resize_by_terms(OperatorBuilder& ops, TensorIndex x, const ResizeTerms& rows,
                            const ResizeTerms& columns, ResizeMethod method);

enum class GridPadding { kZeros, kBorder, kReflection };
struct GridOptions {
    ResizeMethod method = ResizeMethod::kLinear;
    GridPadding padding = GridPadding::kZeros;
    bool align_corners = false;
    double cubic_coefficient = -0.75;
};
/// ONNX GridSample of `x` [N,H,W,C] or [N,D,H,W,C] at a run-time grid [N, spatial..., 2 or 3] of
/// fp32. The last dimension of the grid begins with the last spatial direction.
TensorIndex grid_sample(OperatorBuilder& ops, TensorIndex x, TensorIndex grid,
                        const GridOptions& options);
/// Grid of ONNX AffineGrid for run-time theta [N,2,3] or [N,3,4]. `spatial` is the output's
/// spatial shape.
TensorIndex affine_grid(OperatorBuilder& ops, TensorIndex theta, const Shape& spatial,
                        bool align_corners);

struct RoiOptions {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t sampling_ratio = 0;  ///< 0 depends on the boxes, which must then be known
    double spatial_scale = 1;
    bool half_pixel = true;  ///< false: output_half_pixel, the default until opset 15
    bool is_maximum = false;
};
/// Boxes that the reader knows: x1, y1, x2, y2 of each, and its batch element.
struct KnownBoxes {
    std::vector<double> corners;
    std::vector<std::int64_t> batch;
};
/// ONNX RoiAlign of `x` [N,H,W,C]. Run-time boxes are [R,4] with batch indices [R] (i32). The
/// result is [R, rows, columns, C]. A maximum is that of weighted corners, as ONNX defines it.
TensorIndex roi_align(OperatorBuilder& ops, TensorIndex x, TensorIndex boxes,
                      TensorIndex batch_indices, const RoiOptions& options);
TensorIndex roi_align(OperatorBuilder& ops, TensorIndex x, const KnownBoxes& boxes,
                      const RoiOptions& options);

}  // namespace okksim::sim::graph::compose
