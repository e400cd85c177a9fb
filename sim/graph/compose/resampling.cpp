// SPDX-License-Identifier: Apache-2.0
// Positions and weights of a resize, computed on the host.
#include "sim/graph/compose/resampling.h"

#include <algorithm>
#include <cmath>

namespace okksim::sim::graph::compose {

namespace {

/// Returns the nearest integer by one of the rounding modes. `at` is a single-precision number.
std::int64_t rounded(double at, NearestRounding rounding) {
    switch (rounding) {
        case NearestRounding::kPreferFloor: return static_cast<std::int64_t>(std::ceil(at - 0.5));
        case NearestRounding::kPreferCeil: return static_cast<std::int64_t>(std::floor(at + 0.5));
        case NearestRounding::kFloor: return static_cast<std::int64_t>(std::floor(at));
        case NearestRounding::kCeil: return static_cast<std::int64_t>(std::ceil(at));
    }
    return 0;
}

bool is_extrapolated(const ResizeAxis& axis, Coordinates coordinates, double at) {
    return coordinates == Coordinates::kTfCropAndResize &&
           (at < 0 || at > static_cast<double>(axis.input - 1));
}

/// Weight of an element at this distance: a triangle, or Keys' cubic function.
double kernel_weight(double distance, const ResizeOptions& options) {
    const double d = std::fabs(distance);
    if (options.method == ResizeMethod::kLinear) return std::max(1 - d, 0.0);
    const double a = options.cubic_coefficient;
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
}

}  // namespace

// The positions are computed in single precision, as ONNX's definition of `scales` as float
// implies. Ties of nearest mode depend on it.
double source_position(const ResizeAxis& axis, Coordinates coordinates, std::int64_t i) {
    const auto x = static_cast<float>(i), scale = static_cast<float>(axis.scale);
    const auto input = static_cast<float>(axis.input), output = static_cast<float>(axis.output);
    const auto start = static_cast<float>(axis.roi_start), end = static_cast<float>(axis.roi_end);
    switch (coordinates) {
        case Coordinates::kHalfPixel: return (x + 0.5F) / scale - 0.5F;
        case Coordinates::kHalfPixelSymmetric: {
            const float adjustment = output / (scale * input);
            return input / 2 * (1 - adjustment) + (x + 0.5F) / scale - 0.5F;
        }
        case Coordinates::kPytorchHalfPixel:
            return axis.output > 1 ? (x + 0.5F) / scale - 0.5F : 0.0F;
        case Coordinates::kAlignCorners:
            return axis.output > 1 ? x * (input - 1) / (output - 1) : 0.0F;
        case Coordinates::kAsymmetric: return x / scale;
        case Coordinates::kTfHalfPixelForNn: return (x + 0.5F) / scale;
        case Coordinates::kTfCropAndResize:
            return axis.output > 1
                       ? start * (input - 1) + x * (end - start) * (input - 1) / (output - 1)
                       : 0.5F * (start + end) * (input - 1);
    }
    return 0;
}

std::vector<std::int64_t> nearest_table(const ResizeAxis& axis, const ResizeOptions& options) {
    std::vector<std::int64_t> table;
    for (std::int64_t i = 0; i < axis.output; ++i) {
        const double at = source_position(axis, options.coordinates, i);
        const std::int64_t element = rounded(at, options.rounding);
        table.push_back(is_extrapolated(axis, options.coordinates, at)
                            ? -1
                            : std::clamp<std::int64_t>(element, 0, axis.input - 1));
    }
    return table;
}

std::vector<double> resize_weights(const ResizeAxis& axis, const ResizeOptions& options) {
    // Antialiasing widens the kernel of a smaller result.
    const double squeeze = options.antialias ? std::min(axis.scale, 1.0) : 1.0;
    const double reach = (options.method == ResizeMethod::kLinear ? 1 : 2) / squeeze;
    std::vector<double> weights(static_cast<std::size_t>(axis.output * axis.input), 0);
    for (std::int64_t i = 0; i < axis.output; ++i) {
        const double at = source_position(axis, options.coordinates, i);
        if (is_extrapolated(axis, options.coordinates, at)) continue;
        double* row = &weights[static_cast<std::size_t>(i * axis.input)];
        double total = 0;
        const auto first = static_cast<std::int64_t>(std::floor(at - reach));
        const auto last = static_cast<std::int64_t>(std::ceil(at + reach));
        for (std::int64_t tap = first; tap <= last; ++tap) {
            const bool is_inside = tap >= 0 && tap < axis.input;
            if (!is_inside && options.exclude_outside) continue;
            const double weight = kernel_weight((static_cast<double>(tap) - at) * squeeze, options);
            row[std::clamp<std::int64_t>(tap, 0, axis.input - 1)] += weight;
            total += weight;
        }
        for (std::int64_t tap = 0; total != 0 && tap < axis.input; ++tap) row[tap] /= total;
    }
    return weights;
}

std::vector<ResizeAxis> axes_of_sizes(const std::vector<std::int64_t>& input,
                                      const std::vector<std::int64_t>& sizes, AspectPolicy policy) {
    std::vector<ResizeAxis> result;
    std::vector<float> scales;
    for (std::size_t i = 0; i < input.size(); ++i) {
        scales.push_back(static_cast<float>(sizes[i]) / static_cast<float>(input[i]));
        result.push_back({input[i], sizes[i], scales[i], 0, 1});
    }
    if (policy == AspectPolicy::kStretch || scales.empty()) return result;
    const float scale = policy == AspectPolicy::kNotLarger
                            ? *std::min_element(scales.begin(), scales.end())
                            : *std::max_element(scales.begin(), scales.end());
    for (ResizeAxis& axis : result) {
        axis.scale = scale;
        axis.output = static_cast<std::int64_t>(std::round(scale * static_cast<float>(axis.input)));
    }
    return result;
}

std::vector<ResizeAxis> axes_of_scales(const std::vector<std::int64_t>& input,
                                       const std::vector<double>& scales) {
    std::vector<ResizeAxis> result;
    for (std::size_t i = 0; i < input.size(); ++i) {
        const float size = static_cast<float>(input[i]) * static_cast<float>(scales[i]);
        result.push_back({input[i], static_cast<std::int64_t>(std::floor(size)), scales[i], 0, 1});
    }
    return result;
}

}  // namespace okksim::sim::graph::compose
