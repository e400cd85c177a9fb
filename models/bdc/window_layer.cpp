// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/window_layer.h"

#include <functional>
#include <vector>

#include "isa/layout.h"
#include "models/bdc/local_operand.h"
#include "models/bdc/scratch.h"

namespace okksim::models::bdc {
namespace {

// Rough host cost used to decide on handing work to other threads.
constexpr double kNanosecondsPerProduct = 0.05;
constexpr double kNanosecondsPerPlane = 20.0;

struct ThreadBuffers {
    Scratch plane;
    Scratch flat;
};

struct CommandBuffers {
    std::vector<std::int64_t> tap_offsets;
    Scratch input_copy;
    Scratch weight_copy;
    Scratch bias_copy;
};

ThreadBuffers& thread_buffers() {
    static thread_local ThreadBuffers buffers;
    return buffers;
}

CommandBuffers& command_buffers() {
    static thread_local CommandBuffers buffers;
    return buffers;
}

struct WindowPlan {
    PlaneShape shape;
    WindowWork work;  // bias and weights of the channel are filled in by the worker
    LocalOperand input;
    LocalOperand output;
    std::optional<LocalOperand> weight;
    std::optional<LocalOperand> bias;
    std::int64_t channels = 0;
    float factor = 1.0f;
    float pad_value = 0.0f;
};

void plan_shape(const WindowLayer& layer, const isa::Dim4& output_shape, WindowPlan& plan) {
    const std::int64_t reach_h = std::int64_t{layer.kernel_h - 1} * layer.dilation.h;
    const std::int64_t reach_w = std::int64_t{layer.kernel_w - 1} * layer.dilation.w;
    PlaneShape& shape = plan.shape;
    shape.input_h = layer.input_shape.h;
    shape.input_w = layer.input_shape.w;
    shape.input_row = layer.input_shape.w;
    shape.pad_top = layer.padding.top;
    shape.pad_left = layer.padding.left;
    shape.stride_h = layer.stride.h;
    shape.stride_w = layer.stride.w;
    shape.row_floats = output_shape.w + reach_w / layer.stride.w;
    shape.phase_rows = output_shape.h + reach_h / layer.stride.h;
    shape.phase_floats = shape.row_floats * shape.phase_rows + kWindowSlack;

    WindowWork& work = plan.work;
    work.operation = layer.operation;
    work.taps = std::int64_t{layer.kernel_h} * layer.kernel_w;
    work.output_h = output_shape.h;
    work.output_w = output_shape.w;
    work.row_floats = shape.row_floats;
    std::vector<std::int64_t>& offsets = command_buffers().tap_offsets;
    offsets.clear();
    for (std::int32_t h = 0; h < layer.kernel_h; ++h) {
        const std::int64_t y = std::int64_t{h} * layer.dilation.h;
        for (std::int32_t w = 0; w < layer.kernel_w; ++w) {
            const std::int64_t x = std::int64_t{w} * layer.dilation.w;
            const std::int64_t phase = y % shape.stride_h * shape.stride_w + x % shape.stride_w;
            offsets.push_back(phase * shape.phase_floats +
                              y / shape.stride_h * shape.row_floats + x / shape.stride_w);
        }
    }
    work.tap_offsets = offsets.data();
}

void plan_operands(const WindowLayer& layer, const isa::Dim4& output_shape, LocalMemory& memory,
                   WindowPlan& plan) {
    CommandBuffers& buffers = command_buffers();
    const std::int32_t lanes = memory.lanes();
    const auto aligned = [&](isa::LocalAddr addr, const isa::Dim4& shape) {
        const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        return local_operand(memory, addr, isa::aligned_stride(lane, shape, 32, lanes));
    };
    const auto compact = [&](isa::LocalAddr addr, const isa::Dim4& shape) {
        const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        return local_operand(memory, addr, isa::compact_stride(lane, shape, lanes));
    };
    plan.output = aligned(layer.output_addr, output_shape);
    plan.input = aligned(layer.input_addr, layer.input_shape);
    const FloatInterval output_span = touched(plan.output, output_shape);
    separate_from_output(plan.input, touched(plan.input, layer.input_shape), plan.output,
                         output_span, buffers.input_copy);
    if (layer.weight_addr) {
        const isa::Dim4 shape{1, layer.input_shape.c, layer.kernel_h, layer.kernel_w};
        plan.weight = compact(*layer.weight_addr, shape);
        separate_from_output(*plan.weight, touched(*plan.weight, shape), plan.output, output_span,
                             buffers.weight_copy);
    }
    if (layer.bias_addr) {
        const isa::Dim4 shape{1, layer.input_shape.c, 1, 1};
        plan.bias = compact(*layer.bias_addr, shape);
        separate_from_output(*plan.bias, touched(*plan.bias, shape), plan.output, output_span,
                             buffers.bias_copy);
    }
}

void run_planes(const WindowPlan& plan, std::int64_t begin, std::int64_t end) {
    const FlushDenormals mode;
    ThreadBuffers& buffers = thread_buffers();
    float* spread = buffers.plane.floats(plan.shape.plane_floats() + kWindowSlack);
    float* flat = buffers.flat.floats(plan.work.output_h * plan.work.row_floats + kWindowSlack);
    WindowWork work = plan.work;
    for (std::int64_t plane = begin; plane < end; ++plane) {
        const std::int64_t image = plane / plan.channels;
        const std::int64_t channel = plane % plan.channels;
        spread_plane(plan.shape, plan.input.channel(image, channel), plan.input.end, plan.factor,
                     plan.pad_value, spread);
        if (plan.weight) work.weights = plan.weight->channel(0, channel);
        if (plan.bias) work.bias = plan.bias->channel(0, channel);
        slide_windows(work, spread, flat, plan.output.channel(image, channel));
    }
}

}  // namespace

void execute_window_layer(const WindowLayer& layer, LocalMemory& memory, LanePool& pool) {
    const isa::Dim4 output_shape{
        layer.input_shape.n, layer.input_shape.c,
        static_cast<std::int32_t>(isa::window_output(
            layer.input_shape.h, layer.padding.top + layer.padding.bottom, layer.kernel_h,
            layer.dilation.h, layer.stride.h)),
        static_cast<std::int32_t>(isa::window_output(
            layer.input_shape.w, layer.padding.left + layer.padding.right, layer.kernel_w,
            layer.dilation.w, layer.stride.w))};
    if (output_shape.h <= 0 || output_shape.w <= 0) return;
    WindowPlan plan;
    plan.channels = layer.input_shape.c;
    plan.factor = layer.factor;
    plan.pad_value = layer.pad_value;
    plan_shape(layer, output_shape, plan);
    plan_operands(layer, output_shape, memory, plan);
    const double cost = kNanosecondsPerPlane +
                        static_cast<double>(plan.work.taps * plan.work.output_h) *
                            static_cast<double>(plan.shape.row_floats) * kNanosecondsPerProduct;
    const auto run = [&](std::int64_t begin, std::int64_t end) { run_planes(plan, begin, end); };
    pool.parallel_for(std::int64_t{layer.input_shape.n} * layer.input_shape.c, cost,
                      std::cref(run));
}

}  // namespace okksim::models::bdc
