// SPDX-License-Identifier: Apache-2.0
// MaxRoiPool: maxima of the bins of regions that are known only at run time.
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// One direction of the regions: coordinates at `first` and `last` of each region.
struct RegionAxis {
    std::int64_t first, last;
    std::int64_t bins;
    std::int64_t size;  ///< of the feature map
};

/// Returns the rounded coordinate of each region times the scale: i32 [R,1,1].
TensorIndex region_corner(OperatorBuilder& ops, TensorIndex rois, std::int64_t at, double scale) {
    const std::int64_t count = ops.shape(rois)[0];
    TensorIndex corner = ops.slice(rois, {0, at}, {count, 1}, "corner");
    corner = ops.product(corner, ops.number(DType::kFp32, 2, scale), "scaled_corner");
    corner = ops.binary(OpCode::kAdd, corner, ops.number(DType::kFp32, 2, 0.5), "corner_and_half");
    corner = ops.cast(ops.unary(OpCode::kFloor, corner, "rounded_corner"), DType::kI32, "corner");
    return ops.reshape(corner, {count, 1, 1}, "corners");
}

TensorIndex quotient_of(OperatorBuilder& ops, TensorIndex x, std::int64_t divisor) {
    return ops.binary(OpCode::kIntdiv, x, ops.number(DType::kI32, 3, static_cast<double>(divisor)),
                      "quotient");
}

/// True where an element of the direction is in a bin: [R,bins,size]. Bin i of n covers the
/// elements floor(i extent / n) up to ceil((i + 1) extent / n), exclusive.
TensorIndex bin_mask(OperatorBuilder& ops, TensorIndex rois, const RegionAxis& axis, double scale) {
    const TensorIndex first = region_corner(ops, rois, axis.first, scale);
    const TensorIndex last = region_corner(ops, rois, axis.last, scale);
    const TensorIndex one = ops.number(DType::kI32, 3, 1);
    TensorIndex extent = ops.binary(OpCode::kSub, last, first, "extent");
    extent = ops.binary(OpCode::kMaximum, ops.binary(OpCode::kAdd, extent, one, "elements"), one,
                        "extents");
    std::vector<std::int64_t> starts = compose::counting(axis.bins), ends;
    for (const std::int64_t bin : starts) ends.push_back(bin + 1);
    const TensorIndex start = quotient_of(
        ops,
        ops.product(extent, compose::index_values(ops, {1, axis.bins, 1}, starts, "bins"), "low"),
        axis.bins);
    TensorIndex end = ops.product(
        extent, compose::index_values(ops, {1, axis.bins, 1}, ends, "bin_ends"), "high");
    end = quotient_of(
        ops,
        ops.binary(OpCode::kAdd, end,
                   ops.number(DType::kI32, 3, static_cast<double>(axis.bins - 1)), "rounded_up"),
        axis.bins);
    const TensorIndex at =
        compose::index_values(ops, {1, 1, axis.size}, compose::counting(axis.size), "elements");
    const TensorIndex after =
        ops.test(OpCode::kGreaterEqual, at, ops.binary(OpCode::kAdd, first, start, "bin_start"),
                 "after_start");
    const TensorIndex before = ops.test(
        OpCode::kGreater, ops.binary(OpCode::kAdd, first, end, "bin_end"), at, "before_end");
    return ops.binary(OpCode::kLogicalAnd, after, before, "in_bin");
}

/// Maximum of the elements along dimension 2 that the mask selects; it broadcasts.
TensorIndex masked_maximum(OperatorBuilder& ops, TensorIndex x, TensorIndex mask) {
    const DType type = ops.type(x);
    const TensorIndex none = ops.number(type, ops.rank(x), compose::lowest_value(type));
    return ops.reduce_max(ops.select(mask, x, none, "selected"), 2, "maxima");
}

}  // namespace

void max_roi_pool(const Call& call) {
    call.require_inputs(2, 2);
    const Value& x = call.input(0);
    const Value& rois = call.input(1);
    require_real(call, x);
    call.require_same_type({&call.input(0), &call.input(1)});
    call.require(x.rank() == 4, "input 0", shape_text(x.shape), "the feature map is N, C, H, W");
    call.require(rois.rank() == 2 && rois.shape[1] == 5, "input 1", shape_text(rois.shape),
                 "the regions have the shape [regions, 5]");
    call.require(call.has_attribute("pooled_shape"), "pooled_shape", "missing",
                 "the operator has it");
    const auto pooled = direction_list(call, "pooled_shape", 2, 1, 1);
    const double scale = call.real("spatial_scale", 1);
    OperatorBuilder& ops = call.ops();
    const std::int64_t count = rois.shape[0], height = x.shape[2], width = x.shape[3];
    const std::int64_t channels = x.shape[1];
    const TensorIndex boxes = ops.cast(call.tensor(1), DType::kFp32, "regions");
    TensorIndex batch =
        ops.cast(ops.slice(boxes, {0, 0}, {count, 1}, "batch"), DType::kI32, "batch");
    batch = ops.reshape(batch, {count}, "batches");
    const TensorIndex maps = compose::gather(ops, call.channels_last(0), batch, 0, false);
    const TensorIndex rows = bin_mask(ops, boxes, {2, 4, pooled[0], height}, scale);
    const TensorIndex columns = bin_mask(ops, boxes, {1, 3, pooled[1], width}, scale);
    TensorIndex result =
        masked_maximum(ops, ops.reshape(maps, {count, 1, height, width, channels}, "maps"),
                       ops.reshape(rows, {count, pooled[0], height, 1, 1}, "rows"));
    result = ops.reshape(result, {count * pooled[0], 1, width, channels}, "lines");
    const TensorIndex mask = ops.tile(ops.reshape(columns, {count, 1, pooled[1], width}, "columns"),
                                      {1, pooled[0], 1, 1}, "all_columns");
    result = masked_maximum(
        ops, result, ops.reshape(mask, {count * pooled[0], pooled[1], width, 1}, "column_mask"));
    result = ops.reshape(result, {count, pooled[0], pooled[1], channels}, "bins");
    // An empty bin gives 0.
    const TensorIndex none =
        ops.number(ops.type(result), 4, compose::lowest_value(ops.type(result)));
    result = ops.select(ops.test(OpCode::kEqual, result, none, "is_empty"),
                        ops.number(ops.type(result), 4, 0), result, "pooled");
    call.set_channels_last(0, x.type, feature_shape(count, channels, pooled), result);
}

}  // namespace okksim::sim::graph::onnx::lower
