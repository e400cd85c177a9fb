// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample.
#include <algorithm>
#include <map>

#include "sim/graph/compose/resampling.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

using compose::ResizeAxis;
using compose::ResizeMethod;

/// Resized dimensions of a feature map and their sizes.
struct ResizePlan {
    std::vector<std::size_t> dimensions;
    std::vector<ResizeAxis> axes;
    compose::ResizeOptions options;
};

template <typename Kind>
Kind named_kind(const Call& call, const char* attribute, std::string_view text,
                const std::map<std::string_view, Kind>& kinds) {
    const auto found = kinds.find(text);
    if (found != kinds.end()) return found->second;
    std::string list;
    for (const auto& [name, kind] : kinds) list += (list.empty() ? "" : ", ") + std::string(name);
    call.illegal(attribute, std::string(text), "the attribute is one of " + list);
}

compose::Coordinates coordinates_of(const Call& call) {
    using C = compose::Coordinates;
    if (call.opset() < 11) return C::kAsymmetric;
    static const std::map<std::string_view, C> kinds{
        {"half_pixel", C::kHalfPixel},
        {"half_pixel_symmetric", C::kHalfPixelSymmetric},
        {"pytorch_half_pixel", C::kPytorchHalfPixel},
        {"align_corners", C::kAlignCorners},
        {"asymmetric", C::kAsymmetric},
        {"tf_half_pixel_for_nn", C::kTfHalfPixelForNn},
        {"tf_crop_and_resize", C::kTfCropAndResize}};
    constexpr const char* kName = "coordinate_transformation_mode";
    return named_kind(call, kName, call.text(kName, "half_pixel"), kinds);
}

compose::ResizeOptions resize_options(const Call& call) {
    using R = compose::NearestRounding;
    static const std::map<std::string_view, ResizeMethod> methods{
        {"nearest", ResizeMethod::kNearest},
        {"linear", ResizeMethod::kLinear},
        {"bilinear", ResizeMethod::kLinear},  // of operator set 1
        {"cubic", ResizeMethod::kCubic}};
    static const std::map<std::string_view, R> roundings{{"round_prefer_floor", R::kPreferFloor},
                                                         {"round_prefer_ceil", R::kPreferCeil},
                                                         {"floor", R::kFloor},
                                                         {"ceil", R::kCeil}};
    compose::ResizeOptions options;
    options.method = named_kind(call, "mode", call.text("mode", "nearest"), methods);
    options.coordinates = coordinates_of(call);
    const char* rounding = call.opset() < 11 ? "floor" : "round_prefer_floor";
    options.rounding =
        named_kind(call, "nearest_mode", call.text("nearest_mode", rounding), roundings);
    options.cubic_coefficient = call.real("cubic_coeff_a", -0.75);
    options.exclude_outside = call.integer("exclude_outside", 0) != 0;
    options.antialias = call.integer("antialias", 0) != 0;
    options.extrapolation_value = call.real("extrapolation_value", 0);
    return options;
}

/// Returns the dimensions that scales, sizes and the region count.
std::vector<std::size_t> resized_dimensions(const Call& call, std::size_t rank) {
    if (const auto list = call.integer_list("axes")) return call.axes(*list, rank);
    std::vector<std::size_t> all(rank);
    for (std::size_t i = 0; i < rank; ++i) all[i] = i;
    return all;
}

bool has_numbers(const Call& call, std::size_t n) {
    return call.has_input(n) && element_count(call.input(n).shape).value_or(0) > 0;
}

std::vector<ResizeAxis> scaled_axes(const Call& call, const Shape& sizes,
                                    const std::vector<double>& scales) {
    call.require(scales.size() == sizes.size(), "scales", std::to_string(scales.size()) + " values",
                 "there is one scale per resized dimension, here " + std::to_string(sizes.size()));
    for (const double scale : scales) {
        constexpr double kMost = 1 << 24;
        call.require(scale > 0 && scale < kMost, "scales", std::to_string(scale),
                     "a scale is greater than 0 and less than 2^24");
    }
    return compose::axes_of_scales(sizes, scales);
}

std::vector<ResizeAxis> sized_axes(const Call& call, const Shape& sizes, const Shape& wanted) {
    using P = compose::AspectPolicy;
    static const std::map<std::string_view, P> policies{
        {"stretch", P::kStretch}, {"not_larger", P::kNotLarger}, {"not_smaller", P::kNotSmaller}};
    call.require(wanted.size() == sizes.size(), "sizes", shape_text(wanted),
                 "there is one size per resized dimension, here " + std::to_string(sizes.size()));
    for (const std::int64_t size : wanted) {
        constexpr std::int64_t kMost = 1 << 24;
        call.require(size > 0 && size < kMost, "sizes", shape_text(wanted),
                     "a size is greater than 0 and less than 2^24");
    }
    constexpr const char* kName = "keep_aspect_ratio_policy";
    return compose::axes_of_sizes(sizes, wanted,
                                  named_kind(call, kName, call.text(kName, "stretch"), policies));
}

/// Sets the region of tf_crop_and_resize: all starts, then all ends.
void set_region(const Call& call, std::vector<ResizeAxis>& axes) {
    const std::vector<double> region = call.known_reals(1, "regions");
    call.require(region.size() == 2 * axes.size(), "roi", std::to_string(region.size()) + " values",
                 "the region has " + std::to_string(2 * axes.size()) + " values");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        axes[i].roi_start = region[i];
        axes[i].roi_end = region[axes.size() + i];
    }
}

/// Leaves out dimensions that do not change.
void drop_unchanged(ResizePlan& plan) {
    ResizePlan kept;
    kept.options = plan.options;
    for (std::size_t i = 0; i < plan.axes.size(); ++i) {
        const ResizeAxis& axis = plan.axes[i];
        const bool is_cropped =
            plan.options.coordinates == compose::Coordinates::kTfCropAndResize &&
            (axis.roi_start != 0 || axis.roi_end != 1);
        if (axis.input == axis.output && axis.scale == 1 && !is_cropped) continue;
        kept.dimensions.push_back(plan.dimensions[i]);
        kept.axes.push_back(axis);
    }
    plan = std::move(kept);
}

/// Resizes operand 0. Integers of linear and cubic modes are computed as real numbers.
void resize_with(const Call& call, ResizePlan plan) {
    Value& x = call.input(0);
    Shape shape = x.shape;
    for (std::size_t i = 0; i < plan.axes.size(); ++i) {
        const std::int64_t size = plan.axes[i].output;
        call.require(size > 0, "scales", std::to_string(plan.axes[i].scale),
                     "the result has elements in each dimension");
        shape[plan.dimensions[i]] = size;
    }
    drop_unchanged(plan);
    if (plan.axes.empty()) return call.set_same(0, x);
    const bool is_feature_map =
        x.rank() == 4 && std::all_of(plan.dimensions.begin(), plan.dimensions.end(),
                                     [](std::size_t axis) { return axis >= 2; });
    if (is_feature_map) call.channels_last(0);
    Aligned order = call.aligned(0);
    if (is_feature_map) order = {true, 4, {call.channels_last(0)}};
    for (std::size_t& axis : plan.dimensions) axis = order.place(axis);
    OperatorBuilder& ops = call.ops();
    const bool is_converted = !is_real(x.type) && plan.options.method != ResizeMethod::kNearest;
    TensorIndex result = order.tensors[0];
    if (is_converted) result = onnx::cast(ops, x.type, ElementType::kFloat32, result);
    result = compose::resize(ops, result, plan.dimensions, plan.axes, plan.options);
    if (is_converted) result = onnx::cast(ops, ElementType::kFloat32, x.type, result);
    call.set_aligned(0, x.type, shape, order, result);
}

Shape sizes_of(const Value& x, const std::vector<std::size_t>& dimensions) {
    Shape sizes;
    for (const std::size_t axis : dimensions) sizes.push_back(x.shape[axis]);
    return sizes;
}

void require_resizable(const Call& call) {
    const Value& x = call.input(0);
    call.require(is_real(x.type) || is_whole(x.type), "input 0", std::string(element_name(x.type)),
                 "the operand has numbers");
    call.require(x.rank() >= 1, "input 0", shape_text(x.shape), "the operand has dimensions");
}

}  // namespace

void resize(const Call& call) {
    call.require_inputs(1, call.opset() < 11 ? 2 : 4);
    require_resizable(call);
    ResizePlan plan;
    plan.options = resize_options(call);
    const Value& x = call.input(0);
    plan.dimensions = resized_dimensions(call, x.rank());
    const Shape sizes = sizes_of(x, plan.dimensions);
    const std::size_t scales_at = call.opset() < 11 ? 1 : 2;
    const bool has_scales = has_numbers(call, scales_at), has_sizes = has_numbers(call, 3);
    call.require(has_scales != has_sizes, "scales and sizes", has_scales ? "both" : "neither",
                 "exactly one of them is given");
    plan.axes = has_scales ? scaled_axes(call, sizes, call.known_reals(scales_at, "scales"))
                           : sized_axes(call, sizes, call.known_integers(3, "sizes"));
    if (plan.options.coordinates == compose::Coordinates::kTfCropAndResize) {
        set_region(call, plan.axes);
    }
    resize_with(call, std::move(plan));
}

void upsample(const Call& call) {
    call.require_inputs(1, call.opset() < 9 ? 1 : 2);
    require_resizable(call);
    const Value& x = call.input(0);
    std::vector<double> scales;
    if (call.opset() >= 9) {
        scales = call.known_reals(1, "scales");
    } else if (const auto list = call.real_list("scales")) {
        scales.assign(list->begin(), list->end());
    } else {
        scales = {1, 1, call.real("height_scale", 1), call.real("width_scale", 1)};
    }
    ResizePlan plan;
    plan.options = resize_options(call);
    plan.options.coordinates = compose::Coordinates::kAsymmetric;
    plan.options.rounding = compose::NearestRounding::kFloor;
    plan.dimensions = resized_dimensions(call, x.rank());
    plan.axes = scaled_axes(call, sizes_of(x, plan.dimensions), scales);
    resize_with(call, std::move(plan));
}

}  // namespace okksim::sim::graph::onnx::lower
