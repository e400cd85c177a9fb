// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/layers/window_layer.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "models/bdc/layers/local_operand.h"
#include "models/bdc/layers/scratch.h"

namespace okksim::models::bdc {
namespace {

// Rough host cost, used to decide whether other threads share the work.
constexpr double kNanosecondsPerProduct = 0.05;
constexpr double kNanosecondsPerPlane = 20.0;
// A plane is processed in bands of rows that fit into the first-level cache when spread.
constexpr std::int64_t kBandFloats = 4 * 1024;
// A band has at least this multiple of the rows that neighbouring bands share.
constexpr std::int64_t kBandOverReach = 3;

constexpr std::int64_t kLine = 16;
// Rows are wide if less than 1 / kWideRow of their last vector is unused.
constexpr std::int64_t kWideRow = 9;

struct ThreadBuffers {
    Scratch plane;
    Scratch flat;
};

struct CommandBuffers {
    std::vector<std::int64_t> spread_taps;
    std::vector<std::int64_t> direct_taps;
    std::vector<float> equal_weights;
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
    WindowWork work;  // the worker fills in bias and weights of the channel
    LocalOperand input;
    LocalOperand output;
    std::optional<LocalOperand> weight;
    std::optional<LocalOperand> bias;
    std::int64_t channels = 0;
    std::int64_t output_h = 0;
    std::int64_t pad_top = 0;
    std::int64_t band_h = 0;       ///< output rows of a band
    std::int64_t shared_rows = 0;  ///< spread rows that a band needs beyond its output rows
    /// For planes whose windows need no padding and can be read in place: `work` with other taps.
    /// The number of floats that must be readable from the plane's start.
    std::optional<WindowWork> direct;
    std::int64_t direct_floats = 0;
    /// For 3x3 windows that are padded while they are read: their work, and the readable floats.
    std::optional<WindowWork> padded;
    std::int64_t padded_floats = 0;
    float raw_pad_value = 0.0f;
    float factor = 1.0f;
    float pad_value = 0.0f;
};

void plan_shape(const WindowLayer& layer, const isa::Dim4& output_shape, WindowPlan& plan) {
    const std::int64_t reach_h = std::int64_t{layer.kernel_h - 1} * layer.dilation.h;
    const std::int64_t reach_w = std::int64_t{layer.kernel_w - 1} * layer.dilation.w;
    const bool split_columns = layer.stride.w > kMaxColumnStep;
    PlaneShape& shape = plan.shape;
    shape.input_h = layer.input_shape.h;
    shape.input_w = layer.input_shape.w;
    shape.pad_left = layer.padding.left;
    shape.row_phases = layer.stride.h;
    shape.column_phases = split_columns ? layer.stride.w : 1;
    plan.work.column_step = split_columns ? 1 : layer.stride.w;
    shape.row_floats = (output_shape.w + reach_w / layer.stride.w) * plan.work.column_step;
    // Wide rows, which are processed one by one, begin on a cache line.
    const std::int64_t whole = isa::align_up(output_shape.w, kLine);
    if (shape.row_floats * kWideRow >= whole * plan.work.column_step * (kWideRow - 1)) {
        shape.row_floats = isa::align_up(shape.row_floats, kLine);
    }
    plan.output_h = output_shape.h;
    plan.pad_top = layer.padding.top;
    plan.shared_rows = reach_h / layer.stride.h;
    const std::int64_t row_cost = shape.row_floats * shape.row_phases * shape.column_phases;
    plan.band_h = std::clamp<std::int64_t>(
        std::max(kBandFloats / row_cost - plan.shared_rows, plan.shared_rows * kBandOverReach), 1,
        output_shape.h);
    shape.phase_floats = shape.row_floats * (plan.band_h + plan.shared_rows) + kWindowSlack;
}

// Computes the distance of each tap's input from the window's first one in the spread plane.
void plan_taps(const WindowLayer& layer, const isa::Dim4& output_shape, WindowPlan& plan) {
    const PlaneShape& shape = plan.shape;
    WindowWork& work = plan.work;
    work.operation = layer.operation;
    work.taps = std::int64_t{layer.kernel_h} * layer.kernel_w;
    work.output_w = output_shape.w;
    work.input_row = shape.row_floats;
    std::vector<std::int64_t>& offsets = command_buffers().spread_taps;
    offsets.clear();
    for (std::int32_t h = 0; h < layer.kernel_h; ++h) {
        const std::int64_t y = std::int64_t{h} * layer.dilation.h;
        for (std::int32_t w = 0; w < layer.kernel_w; ++w) {
            const std::int64_t x = std::int64_t{w} * layer.dilation.w;
            const std::int64_t phase =
                y % shape.row_phases * shape.column_phases + x % shape.column_phases;
            offsets.push_back(phase * shape.phase_floats + y / shape.row_phases * shape.row_floats +
                              x / shape.column_phases);
        }
    }
    work.tap_offsets = offsets.data();
    const auto is_one = [](const isa::Dim2& steps) { return steps.h == 1 && steps.w == 1; };
    work.three_by_three = layer.kernel_h == 3 && layer.kernel_w == 3 && is_one(layer.stride) &&
                          is_one(layer.dilation);
}

// Returns `work` for inputs that were not multiplied by the factor; equal weights multiply them
// instead.
WindowWork in_place(const WindowLayer& layer, WindowWork work) {
    if (work.operation != WindowOperation::kSum) return work;
    std::vector<float>& weights = command_buffers().equal_weights;
    weights.assign(static_cast<std::size_t>(work.taps), layer.factor);
    work.operation = WindowOperation::kWeightedSum;
    work.weights = weights.data();
    return work;
}

void plan_padded(const WindowLayer& layer, WindowPlan& plan) {
    const isa::Padding& pads = layer.padding;
    // Narrow planes are faster as one run over a padded copy.
    if (!plan.work.three_by_three || pads.left > 1 || pads.right > 1 ||
        2 * plan.work.output_w <= kLine) {
        return;
    }
    plan.padded = plan.work;
    plan.padded->factor = layer.factor;
    plan.padded_floats = plan.shape.input_h * plan.shape.input_w + kWindowSlack;
}

// Plans windows that are entirely inside the input, which can be read in place.
void plan_direct(const WindowLayer& layer, const isa::Dim4& output_shape, WindowPlan& plan) {
    const std::int64_t input_w = layer.input_shape.w;
    const std::int64_t last_y = std::int64_t{output_shape.h - 1} * layer.stride.h +
                                std::int64_t{layer.kernel_h - 1} * layer.dilation.h;
    const std::int64_t last_x = std::int64_t{output_shape.w - 1} * layer.stride.w +
                                std::int64_t{layer.kernel_w - 1} * layer.dilation.w;
    if (layer.padding.top != 0 || layer.padding.left != 0 || last_y >= layer.input_shape.h ||
        last_x >= input_w || plan.shape.column_phases != 1) {
        return;
    }
    CommandBuffers& buffers = command_buffers();
    WindowWork work = in_place(layer, plan.work);
    work.input_row = input_w * layer.stride.h;
    buffers.direct_taps.clear();
    for (std::int64_t h = 0; h < layer.kernel_h; ++h) {
        for (std::int64_t w = 0; w < layer.kernel_w; ++w) {
            buffers.direct_taps.push_back(h * layer.dilation.h * input_w + w * layer.dilation.w);
        }
    }
    work.tap_offsets = buffers.direct_taps.data();
    plan.direct = work;
    plan.direct_floats = last_y * input_w + last_x + kWindowSlack;
}

void plan_operands(const WindowLayer& layer, const isa::Dim4& output_shape, LocalMemory& memory,
                   WindowPlan& plan) {
    CommandBuffers& buffers = command_buffers();
    const std::int32_t lanes = memory.lanes();
    const auto aligned = [&](isa::LocalAddr addr, const isa::Dim4& shape) {
        const auto lane = static_cast<std::int32_t>(addr.value / memory.bytes_per_lane());
        return local_operand(
            memory, addr,
            isa::aligned_stride(lane, shape, isa::kWordBits, lanes, memory.line_bytes()));
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

// Computes one plane in place, where all that vectors may touch is readable.
void run_direct(const WindowPlan& plan, WindowWork work, const float* input, float* output) {
    float* flat = thread_buffers().flat.floats(plan.band_h * work.input_row + kWindowSlack);
    for (std::int64_t row = 0; row < plan.output_h; row += plan.band_h) {
        work.output_h = std::min(plan.band_h, plan.output_h - row);
        slide_windows(work, input + row * work.input_row, flat, output + row * work.output_w,
                      (plan.output_h - row) * work.output_w);
    }
}

// Computes one plane of 3x3 windows that are padded while they are read.
void run_padded(const WindowPlan& plan, WindowWork work, const float* input,
                std::int64_t next_plane, float* output) {
    work.output_h = plan.output_h;
    WindowRows rows;
    rows.input = input;
    rows.pitch = rows.input_w = plan.shape.input_w;
    rows.input_h = plan.shape.input_h;
    rows.pad_top = plan.pad_top;
    rows.pad_left = plan.shape.pad_left;
    rows.pad_value = plan.raw_pad_value;
    rows.next_plane = next_plane;
    float* scratch =
        thread_buffers().flat.floats(2 * (rows.input_w + kWindowSlack) + work.output_w);
    slide_padded(work, rows, scratch, output, plan.output_h * work.output_w);
}

// Computes one plane through a padded copy, band by band.
void run_spread(const WindowPlan& plan, WindowWork work, const float* input, float* output) {
    ThreadBuffers& buffers = thread_buffers();
    PlaneShape shape = plan.shape;
    float* spread = buffers.plane.floats(
        shape.row_phases * shape.column_phases * shape.phase_floats + kWindowSlack);
    float* flat = buffers.flat.floats(plan.band_h * work.input_row + kWindowSlack);
    for (std::int64_t row = 0; row < plan.output_h; row += plan.band_h) {
        work.output_h = std::min(plan.band_h, plan.output_h - row);
        shape.pad_top = plan.pad_top - row * shape.row_phases;
        shape.phase_rows = work.output_h + plan.shared_rows;
        spread_plane(shape, input, plan.input.end, plan.factor, plan.pad_value, spread);
        slide_windows(work, spread, flat, output + row * work.output_w,
                      (plan.output_h - row) * work.output_w);
    }
}

// Locations of the planes of a command, one after the other.
class PlaneWalk {
 public:
    PlaneWalk(const WindowPlan& plan, std::int64_t first)
        : plan_(plan), image_(first / plan.channels), channel_(first % plan.channels) {
        lane_ = (plan.output.start_lane + channel_) % plan.output.lanes;
        slot_ = (plan.output.start_lane + channel_) / plan.output.lanes;
    }

    void advance() {
        if (++lane_ == plan_.output.lanes) {
            lane_ = 0;
            ++slot_;
        }
        if (++channel_ == plan_.channels) {
            channel_ = 0;
            ++image_;
            lane_ = plan_.output.start_lane;
            slot_ = 0;
        }
    }
    float* input() const { return plan_.input.slot(image_, lane_, slot_); }
    float* output() const { return plan_.output.slot(image_, lane_, slot_); }
    const float* of_channel(const std::optional<LocalOperand>& operand) const {
        return operand ? operand->slot(0, lane_, slot_) : nullptr;
    }

 private:
    const WindowPlan& plan_;
    std::int64_t image_, channel_, lane_, slot_;
};

void run_plane(const WindowPlan& plan, const PlaneWalk& place, const PlaneWalk& next) {
    const float* const input = place.input();
    float* const output = place.output();
    const std::int64_t readable = plan.input.end - input;
    const bool direct = plan.direct && readable >= plan.direct_floats;
    // A row's first vector is loaded from its left padding on.
    const bool padded = !direct && plan.padded && readable >= plan.padded_floats &&
                        input - plan.input.begin >= plan.shape.pad_left;
    WindowWork work = direct ? *plan.direct : padded ? *plan.padded : plan.work;
    if (plan.weight) work.weights = place.of_channel(plan.weight);
    work.bias = place.of_channel(plan.bias);
    work.next_output = next.output() - output;
    if (direct) return run_direct(plan, work, input, output);
    if (padded) return run_padded(plan, work, input, next.input() - input, output);
    run_spread(plan, work, input, output);
}

void run_planes(const WindowPlan& plan, std::int64_t begin, std::int64_t end) {
    const FlushDenormals mode;
    PlaneWalk place(plan, begin), next = place;
    for (std::int64_t plane = begin; plane < end; ++plane) {
        if (plane + 1 < end) next.advance();
        run_plane(plan, place, next);
        place.advance();
    }
}

}  // namespace

void execute_window_layer(const WindowLayer& layer, LocalMemory& memory, LanePool& pool) {
    const isa::Dim4 output_shape{layer.input_shape.n, layer.input_shape.c,
                                 static_cast<std::int32_t>(isa::window_output(
                                     layer.input_shape.h, layer.padding.top + layer.padding.bottom,
                                     layer.kernel_h, layer.dilation.h, layer.stride.h)),
                                 static_cast<std::int32_t>(isa::window_output(
                                     layer.input_shape.w, layer.padding.left + layer.padding.right,
                                     layer.kernel_w, layer.dilation.w, layer.stride.w))};
    if (output_shape.h <= 0 || output_shape.w <= 0) return;
    WindowPlan plan;
    plan.channels = layer.input_shape.c;
    plan.factor = layer.factor;
    plan.raw_pad_value = layer.pad_value;
    plan.pad_value = layer.pad_value * layer.factor;
    plan_shape(layer, output_shape, plan);
    plan_taps(layer, output_shape, plan);
    plan_direct(layer, output_shape, plan);
    plan_padded(layer, plan);
    plan_operands(layer, output_shape, memory, plan);
    OKKSIM_CHECK(plan.input.start_lane == plan.output.start_lane);
    OKKSIM_CHECK(!plan.weight || plan.weight->start_lane == plan.output.start_lane);
    OKKSIM_CHECK(!plan.bias || plan.bias->start_lane == plan.output.start_lane);
    const double cost = kNanosecondsPerPlane + static_cast<double>(plan.work.taps * plan.output_h) *
                                                   static_cast<double>(plan.shape.row_floats) *
                                                   kNanosecondsPerProduct;
    const auto run = [&](std::int64_t begin, std::int64_t end) { run_planes(plan, begin, end); };
    pool.parallel_for(std::int64_t{layer.input_shape.n} * layer.input_shape.c, cost,
                      std::cref(run));
}

}  // namespace okksim::models::bdc
