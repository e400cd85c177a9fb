// SPDX-License-Identifier: Apache-2.0
// Samples of feature maps at positions that are known only at run time.
#include "sim/graph/compose/resampling.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

compose::ResizeMethod sampling_method(const Call& call) {
    const std::string_view mode = call.text("mode", call.opset() < 20 ? "bilinear" : "linear");
    if (mode == "bilinear" || mode == "linear") return compose::ResizeMethod::kLinear;
    if (mode == "nearest") return compose::ResizeMethod::kNearest;
    call.require(mode == "bicubic" || mode == "cubic", "mode", std::string(mode),
                 "the mode is linear, nearest or cubic");
    return compose::ResizeMethod::kCubic;
}

compose::GridPadding grid_padding(const Call& call) {
    const std::string_view mode = call.text("padding_mode", "zeros");
    if (mode == "zeros") return compose::GridPadding::kZeros;
    if (mode == "border") return compose::GridPadding::kBorder;
    call.require(mode == "reflection", "padding_mode", std::string(mode),
                 "the mode is zeros, border or reflection");
    return compose::GridPadding::kReflection;
}

/// Checks the regions of RoiAlign.
void check_regions(const Call& call, const Value& x, const Value& rois, const Value& batches) {
    require_real(call, x);
    call.require_same_type({&call.input(0), &call.input(1)});
    call.require(x.rank() == 4, "input 0", shape_text(x.shape), "the feature map is N, C, H, W");
    call.require(rois.rank() == 2 && rois.shape[1] == 4, "input 1", shape_text(rois.shape),
                 "the regions have the shape [regions, 4]");
    call.require(batches.shape == Shape{rois.shape[0]} && batches.type == ElementType::kInt64,
                 "input 2",
                 std::string(element_name(batches.type)) + " " + shape_text(batches.shape),
                 "there is one int64 index per region");
}

}  // namespace

void grid_sample(const Call& call) {
    call.require_inputs(2, 2);
    const Value& x = call.input(0);
    const Value& grid = call.input(1);
    require_real(call, x);
    require_real(call, grid);
    const Shape spatial = spatial_shape(call, x);
    const auto directions = static_cast<std::int64_t>(spatial.size());
    call.require(directions >= 2, "input 0", shape_text(x.shape),
                 "the feature map has two or three spatial dimensions");
    call.require(
        grid.rank() == x.rank() && grid.shape[0] == x.shape[0] && grid.shape.back() == directions,
        "input 1", shape_text(grid.shape),
        "the grid has the input's batch and " + std::to_string(directions) +
            " coordinates for each position");
    compose::GridOptions options;
    options.method = sampling_method(call);
    options.padding = grid_padding(call);
    options.align_corners = call.integer("align_corners", 0) != 0;
    if (options.method == compose::ResizeMethod::kCubic && directions != 2) {
        throw UnsupportedPart("cubic mode of three directions");
    }
    const Shape sizes(grid.shape.begin() + 1, grid.shape.end() - 1);
    const TensorIndex positions = call.ops().cast(call.tensor(1), DType::kFp32, "grid");
    call.set_channels_last(
        0, x.type, feature_shape(x.shape[0], x.shape[1], sizes),
        compose::grid_sample(call.ops(), call.channels_last(0), positions, options));
}

void affine_grid(const Call& call) {
    call.require_inputs(2, 2);
    const Value& theta = call.input(0);
    require_real(call, theta);
    const Shape size = call.known_integers(1, "sizes");
    call.require(size.size() == 4 || size.size() == 5, "size", shape_text(size),
                 "the size is N, C, H, W or N, C, D, H, W");
    for (const std::int64_t each : size) {
        call.require(each > 0, "size", shape_text(size), "sizes are greater than 0");
    }
    const auto directions = static_cast<std::int64_t>(size.size()) - 2;
    const Shape wanted{size[0], directions, directions + 1};
    call.require(theta.shape == wanted, "input 0", shape_text(theta.shape),
                 "the matrices have the shape " + shape_text(wanted));
    const Shape spatial(size.begin() + 2, size.end());
    Shape shape{size[0]};
    shape.insert(shape.end(), spatial.begin(), spatial.end());
    shape.push_back(directions);
    call.set_tensor(0, theta.type, shape,
                    compose::affine_grid(call.ops(), call.tensor(0), spatial,
                                         call.integer("align_corners", 0) != 0));
}

void roi_align(const Call& call) {
    call.require_inputs(3, 3);
    const Value& x = call.input(0);
    const Value& rois = call.input(1);
    check_regions(call, x, rois, call.input(2));
    compose::RoiOptions options;
    options.rows = call.integer("output_height", 1);
    options.columns = call.integer("output_width", 1);
    options.sampling_ratio = call.integer("sampling_ratio", 0);
    options.spatial_scale = call.real("spatial_scale", 1);
    call.require(options.rows > 0 && options.columns > 0 && options.sampling_ratio >= 0,
                 "output_height, output_width, sampling_ratio",
                 shape_text({options.rows, options.columns, options.sampling_ratio}),
                 "the sizes are from 1 and the ratio from 0");
    const char* standard = call.opset() < 16 ? "output_half_pixel" : "half_pixel";
    const std::string_view coordinates = call.text("coordinate_transformation_mode", standard);
    options.half_pixel = coordinates == "half_pixel";
    call.require(options.half_pixel || coordinates == "output_half_pixel",
                 "coordinate_transformation_mode", std::string(coordinates),
                 "the mode is half_pixel or output_half_pixel");
    const std::string_view mode = call.text("mode", "avg");
    options.is_maximum = mode == "max";
    call.require(options.is_maximum || mode == "avg", "mode", std::string(mode),
                 "the mode is avg or max");
    const Shape shape = feature_shape(rois.shape[0], x.shape[1], {options.rows, options.columns});
    if (rois.known && call.input(2).known) {
        const compose::KnownBoxes boxes{reals(*rois.known), integers(*call.input(2).known)};
        return call.set_channels_last(
            0, x.type, shape,
            compose::roi_align(call.ops(), call.channels_last(0), boxes, options));
    }
    if (options.sampling_ratio == 0) {
        throw UnsupportedPart("sampling_ratio 0 with regions that are known only at run time");
    }
    call.set_channels_last(0, x.type, shape,
                           compose::roi_align(call.ops(), call.channels_last(0), call.tensor(1),
                                              call.tensor(2), options));
}

}  // namespace okksim::sim::graph::onnx::lower
