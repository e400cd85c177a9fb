// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool_windows.h"

#include "isa/limits.h"
#include "kernels/pool/pool_runner.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

constexpr std::size_t kOut = 0, kIn = 1;

/// True if fp32 windows without padding compute the results.
bool is_plain(const PoolOperator& op) {
    const PoolStages& stages = op.stages;
    if (op.input.type != tosa::DType::kFp32 || op.output.type != tosa::DType::kFp32) return false;
    if (!op.combiner.has_window() || stages.maps > 0) return false;
    if ((stages.adapt || stages.finish) && !stages.weight) return false;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const PoolShape& shape = op.shape;
        const std::int64_t reach =
            std::int64_t{shape.output[axis] - 1} * shape.stride[axis] + shape.kernel[axis];
        if (shape.pad_before[axis] > 0 || reach > shape.input[axis]) return false;
    }
    return op.input.strides[2] == 1 && op.output.strides[2] == 1 &&
           (op.output.strides[1] == op.shape.output[1] || op.shape.output[0] == 1);
}

/// Stride between the window rows of consecutive planes, if planes follow each other in a lane. 0:
/// windows would overlap two planes.
std::int32_t joint_stride(const PoolOperator& op, const NdAxis& planes) {
    const PoolShape& shape = op.shape;
    const std::int32_t rows = shape.input[0];
    const std::int32_t stride = shape.output[0] == 1 ? rows : shape.stride[0];
    const bool dense = planes.strides[kIn] == rows * op.input.strides[1] &&
                       planes.strides[kOut] == std::int64_t{shape.output[0]} * shape.output[1];
    const bool apart = shape.kernel[0] <= stride && stride * shape.output[0] == rows;
    return dense && apart && stride <= isa::kMostStep ? stride : 0;
}

void add_maps(const PoolOperator& op, const NdAxis& planes, const NdAxis& groups,
              const Lanes& lanes, std::vector<WindowMaps>& all) {
    const PoolShape& shape = op.shape;
    const std::int32_t joint = joint_stride(op, planes);
    WindowMaps maps;
    maps.groups = groups.extent;
    maps.group_strides = {groups.strides[kOut], groups.strides[kIn]};
    maps.row_stride = op.input.strides[1];
    maps.width = (shape.output[1] - 1) * shape.stride[1] + shape.kernel[1];
    maps.out_width = shape.output[1];
    maps.window = {
        shape.kernel[0], shape.kernel[1], {0, 0, 0, 0}, {1, 1}, op.stages.weight.value_or(1.0f)};
    if (shape.output[1] > 1) maps.window.stride.w = shape.stride[1];
    const std::int64_t most = joint > 0 ? isa::kMostWindowExtent / shape.input[0] : 1;
    for (const std::int64_t share : lane_shares(planes.extent, most, lanes)) {
        WindowMaps own = maps;
        own.planes = planes.extent / share;
        own.plane_strides = {share * planes.strides[kOut], share * planes.strides[kIn]};
        own.out_height = narrow(share * shape.output[0]);
        own.height = share > 1 ? narrow(share * shape.input[0])
                               : (shape.output[0] - 1) * shape.stride[0] + shape.kernel[0];
        own.window.stride.h = share > 1 ? joint : shape.output[0] > 1 ? shape.stride[0] : 1;
        all.push_back(own);
    }
}

}  // namespace

std::vector<WindowMaps> maps_of(const PoolOperator& op, const Lanes& lanes) {
    std::vector<WindowMaps> all;
    if (!is_plain(op)) return all;
    const std::array<std::int32_t, 4> dims{op.input.dims[0], 1, 1, op.input.dims[3]};
    std::array<NdStrides, 2> operands{};
    for (std::size_t i = 0; i < 4; ++i) {
        operands[kOut][i] = op.output.strides[i];
        operands[kIn][i] = op.input.strides[i];
    }
    std::vector<NdAxis> axes = merged_axes(dims, operands);
    axes.resize(2);
    add_maps(op, axes[0], axes[1], lanes, all);
    if (axes[1].extent > 1) add_maps(op, axes[1], axes[0], lanes, all);
    return all;
}

std::optional<WindowTiles> plan_pool_windows(const PoolOperator& op, const PoolPlan& plan,
                                             Host& host) {
    auto tiles =
        plan_window_tiles(op.combiner, maps_of(op, lanes_of(host.machine())), ends_of(op), host);
    if (!tiles) return std::nullopt;
    const Duration time = host.time([&] { run_window_tiles(op.combiner, *tiles, ends_of(op)); });
    const auto other = host.time_within(time, [&] { run_pool_steps(op, plan, INT64_MAX); });
    if (other && *other <= time) return std::nullopt;
    return tiles;
}

WindowEnds ends_of(const PoolOperator& op) { return {op.output.address, op.input.address}; }

}  // namespace okksim::kernels
