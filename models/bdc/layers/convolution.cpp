// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/layers/convolution.h"

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "isa/layout.h"
#include "models/bdc/layers/convolution_plan.h"
#include "models/bdc/layers/ordered_gemm.h"
#include "models/bdc/layers/scratch.h"

namespace okksim::models {
namespace bdc {
namespace {

constexpr std::int64_t kMaxTilePanels = 8;
// Up to this number of tiles, every tile packs its next weights itself; otherwise all weights are
// packed once.
constexpr std::int64_t kTilesPackingWeights = 1;
// Limit for packing. Operands beyond it are far larger than any local memory.
constexpr double kMaxScratchFloats = 64.0 * 1024 * 1024;
// Rough host cost, used to decide whether other threads share the work.
constexpr double kNanosecondsPerProduct = 0.03;
constexpr double kNanosecondsPerPackedFloat = 0.5;

// Buffers that one thread reuses from command to command.
struct ThreadBuffers {
    Scratch panels;
    Scratch weights;
    std::vector<PackRun> sources;
    std::vector<OutputRun> outputs[kMaxTilePanels / kPanelsAtATime + 1];
};

struct CommandBuffers {
    Scratch weights;
    Scratch input;
    Scratch bias;
    Scratch input_copy;
    Scratch weight_copy;
    Scratch bias_copy;
    std::vector<std::int64_t> output_offsets;
};

ThreadBuffers& thread_buffers() {
    static thread_local ThreadBuffers buffers;
    return buffers;
}

CommandBuffers& command_buffers() {
    static thread_local CommandBuffers buffers;
    return buffers;
}

// The work on one group of images, split in tasks of (tile of pixels, share of output channels).
struct GroupWork {
    const ConvolutionPlan& plan;
    const float* weights;  // packed, or nullptr: each task packs its own
    const float* input;
    const float* bias;  // per output channel, or nullptr
    const std::int64_t* output_offsets;
    std::int64_t first_image;
    std::int64_t pixels;       // of all images of the group
    std::int64_t tile_panels;  // panels per tile; the last one may have one more
    std::int64_t channel_shares;
    std::int64_t tiles;
};

// Lists source and destination of pixels [begin, end) of the group as runs. A run stays in one
// image and in one padded row, or in rows without gaps between them. Appends to `outputs`; the
// first pixel is their column `first_column`.
void describe_panel(const GroupWork& work, std::int64_t begin, std::int64_t end,
                    std::int32_t first_column, std::vector<PackRun>& sources,
                    std::vector<OutputRun>& outputs) {
    const ConvolutionPlan& plan = work.plan;
    sources.clear();
    for (std::int64_t pixel = begin; pixel < end;) {
        const std::int64_t image = pixel / plan.pixels();
        const std::int64_t inside = pixel % plan.pixels();
        const std::int64_t row = inside / plan.output_w;
        const std::int64_t column = inside % plan.output_w;
        const auto count = static_cast<std::int32_t>(std::min(plan.output_w - column, end - pixel));
        const auto at = static_cast<std::int32_t>(pixel - begin);
        const std::int64_t source =
            image * plan.image_floats + row * plan.operands.stride.h * plan.row_floats + column;
        if (!sources.empty() && sources.back().source + sources.back().count == source) {
            sources.back().count += count;
        } else {
            sources.push_back({at, count, source});
        }
        const std::int64_t target = (work.first_image + image) * plan.output.n_stride + inside;
        if (!outputs.empty() && inside != 0) {
            outputs.back().count += count;
        } else {
            outputs.push_back({first_column + at, count, target});
        }
        pixel += count;
    }
}

void fill_panel(const GroupWork& work, std::span<const PackRun> sources, float* to) {
    const ConvolutionPlan& plan = work.plan;
    for (std::int64_t tap = 0; tap < plan.taps; ++tap) {
        pack_panel(to, plan.input_c, work.input + plan.tap_offset(tap), plan.plane_floats, sources);
        to += plan.input_c * kPanelUnit;
        if (plan.padded_c != plan.input_c) {
            std::fill(to, to + kPanelUnit, 0.0f);
            to += kPanelUnit;
        }
    }
    std::fill(to, to + (plan.depth - plan.taps * plan.padded_c) * kPanelUnit, 0.0f);
}

// Packs the panels of a tile and returns their number.
std::int64_t fill_tile(const GroupWork& work, std::int64_t tile, float* packed) {
    ThreadBuffers& buffers = thread_buffers();
    std::int64_t panels = 0;
    const bool is_last = tile + 1 == work.tiles;
    for (; panels < work.tile_panels + (is_last ? 1 : 0); ++panels) {
        const std::int64_t pixel = (tile * work.tile_panels + panels) * kPanelUnit;
        if (pixel >= work.pixels) break;
        const auto place = static_cast<std::int32_t>(panels % kPanelsAtATime);
        std::vector<OutputRun>& outputs = buffers.outputs[panels / kPanelsAtATime];
        if (place == 0) outputs.clear();
        describe_panel(work, pixel, std::min(pixel + kPanelUnit, work.pixels), place * kPanelUnit,
                       buffers.sources, outputs);
        fill_panel(work, buffers.sources, packed + panels * work.plan.panel_floats());
    }
    return panels;
}

void multiply_tile(const GroupWork& work, std::int64_t panels, const float* packed,
                   std::int64_t first_channel, std::int64_t last_channel) {
    const ConvolutionPlan& plan = work.plan;
    OrderedGemm gemm;
    gemm.accumulators = kConvolutionAccumulators;
    gemm.depth = plan.depth;
    gemm.panel_distance = plan.panel_floats();
    gemm.row_pitch = plan.weight_pitch;
    gemm.add_old_output = plan.operands.result_add != 0;
    gemm.output = plan.output.base;
    const std::int64_t step = gemm_rows_at_a_time(plan.depth);
    for (std::int64_t channel = first_channel; channel < last_channel; channel += step) {
        gemm.row_count = std::min(step, last_channel - channel);
        if (work.weights != nullptr) {
            gemm.rows = work.weights + channel * plan.weight_pitch;
        } else {
            float* rows = thread_buffers().weights.floats(step * plan.weight_pitch);
            pack_weights(plan, rows, channel, channel + gemm.row_count);
            gemm.rows = rows;
        }
        gemm.row_bias = work.bias == nullptr ? nullptr : work.bias + channel;
        gemm.row_offsets = work.output_offsets + channel;
        for (std::int64_t i = 0; i < panels; i += kPanelsAtATime) {
            gemm.panels = packed + i * plan.panel_floats();
            gemm.runs = thread_buffers().outputs[i / kPanelsAtATime];
            multiply_in_order(gemm);
        }
    }
}

void run_tasks(const GroupWork& work, std::int64_t begin, std::int64_t end) {
    const FlushDenormals mode;
    float* packed =
        thread_buffers().panels.floats(work.plan.panel_floats() * (work.tile_panels + 1));
    for (std::int64_t task = begin; task < end; ++task) {
        const std::int64_t panels = fill_tile(work, task / work.channel_shares, packed);
        const std::int64_t share = task % work.channel_shares;
        const std::int64_t channels = work.plan.output_c;
        multiply_tile(work, panels, packed, channels * share / work.channel_shares,
                      channels * (share + 1) / work.channel_shares);
    }
}

// Splits the pixels of a group into tiles for `threads` threads.
void split_group(GroupWork& work, std::int64_t threads) {
    const ConvolutionPlan& plan = work.plan;
    const std::int64_t panels = isa::div_up(work.pixels, kPanelUnit);
    work.tile_panels = std::clamp<std::int64_t>(
        std::min(gemm_tile_floats() / (plan.depth * kPanelUnit), panels / threads), 1,
        kMaxTilePanels);
    work.tiles = isa::div_up(panels, work.tile_panels);
    // Tiles of equal size; each has whole groups of the panels that are multiplied together.
    work.tile_panels = isa::div_up(panels, work.tiles);
    if (work.tile_panels > 1) work.tile_panels = isa::align_up(work.tile_panels, kPanelsAtATime);
    work.tiles = isa::div_up(panels, work.tile_panels);
    // Every tile reads all weights again, which does not pay for a single panel.
    if (work.tiles > threads && panels % work.tile_panels == 1) --work.tiles;
    work.channel_shares = std::min(isa::div_up(threads, work.tiles), plan.output_c);
}

const float* pack_all_weights(const ConvolutionPlan& plan, LanePool& pool) {
    float* weights = command_buffers().weights.floats(plan.output_c * plan.weight_pitch);
    const auto pack = [&](std::int64_t begin, std::int64_t end) {
        pack_weights_of_lanes(plan, weights, begin, end);
    };
    const std::int64_t lanes = std::min<std::int64_t>(plan.output_c, plan.weight.lanes);
    const std::int64_t floats = plan.depth * isa::div_up(plan.output_c, lanes);  // of one lane
    pool.parallel_for(lanes, static_cast<double>(floats) * kNanosecondsPerPackedFloat,
                      std::cref(pack));
    return weights;
}

void run_group(const GroupWork& work, float* input, std::int64_t images, LanePool& pool) {
    const ConvolutionPlan& plan = work.plan;
    const auto pack = [&](std::int64_t begin, std::int64_t end) {
        pack_input(plan, input, work.first_image, begin, end);
    };
    pool.parallel_for(images * plan.input_c,
                      static_cast<double>(plan.plane_floats) * kNanosecondsPerPackedFloat,
                      std::cref(pack));
    const double cost = static_cast<double>(plan.depth) * static_cast<double>(work.tile_panels) *
                        static_cast<double>(plan.output_c) * kPanelUnit * kNanosecondsPerProduct /
                        static_cast<double>(work.channel_shares);
    const auto run = [&](std::int64_t begin, std::int64_t end) { run_tasks(work, begin, end); };
    pool.parallel_for(work.tiles * work.channel_shares, cost, std::cref(run));
}

void run_packed(const ConvolutionPlan& plan, LanePool& pool) {
    CommandBuffers& buffers = command_buffers();
    const bool with_bias = plan.operands.using_bias != 0;
    float* bias = with_bias ? buffers.bias.floats(plan.output_c) : nullptr;
    buffers.output_offsets.resize(static_cast<std::size_t>(plan.output_c));
    for (std::int64_t channel = 0; channel < plan.output_c; ++channel) {
        buffers.output_offsets[static_cast<std::size_t>(channel)] =
            plan.output.channel(0, channel) - plan.output.base;
        if (with_bias) bias[channel] = *plan.bias.channel(0, channel);
    }
    float* input = buffers.input.floats(plan.group_images * plan.image_floats + kPanelSlack);
    const float* weights = nullptr;
    for (std::int64_t image = 0; image < plan.images; image += plan.group_images) {
        const std::int64_t images = std::min(plan.group_images, plan.images - image);
        GroupWork work{plan,
                       weights,
                       input,
                       bias,
                       buffers.output_offsets.data(),
                       image,
                       images * plan.pixels(),
                       1,
                       1,
                       1};
        split_group(work, pool.threads());
        const bool once = images == plan.images && work.tiles <= kTilesPackingWeights;
        if (weights == nullptr && !once) work.weights = weights = pack_all_weights(plan, pool);
        run_group(work, input, images, pool);
    }
}

void run_directly(const ConvolutionPlan& plan, LanePool& pool) {
    const double cost = static_cast<double>(plan.pixels()) * static_cast<double>(plan.depth);
    for (std::int64_t image = 0; image < plan.images; ++image) {
        const auto run = [&](std::int64_t begin, std::int64_t end) {
            const FlushDenormals mode;
            convolve_directly(plan, image, begin, end);
        };
        pool.parallel_for(plan.output_c, cost, std::cref(run));
    }
}

void separate_operands(ConvolutionPlan& plan) {
    CommandBuffers& buffers = command_buffers();
    const isa::Dim4 output_shape{plan.operands.input_shape.n, plan.operands.output_c,
                                 static_cast<std::int32_t>(plan.output_h),
                                 static_cast<std::int32_t>(plan.output_w)};
    const FloatInterval output = touched(plan.output, output_shape);
    separate_from_output(plan.input, plan.input_span, plan.output, output, buffers.input_copy);
    separate_from_output(plan.weight, plan.weight_span, plan.output, output, buffers.weight_copy);
    if (plan.operands.using_bias != 0) {
        separate_from_output(plan.bias, touched(plan.bias, {1, plan.operands.output_c, 1, 1}),
                             plan.output, output, buffers.bias_copy);
    }
}

}  // namespace
}  // namespace bdc

void execute_convolution(const isa::Convolution& operands, LocalMemory& memory, LanePool& pool) {
    bdc::ConvolutionPlan plan = bdc::plan_convolution(operands, memory);
    if (plan.pixels() <= 0) return;
    bdc::separate_operands(plan);
    if (plan.scratch_floats() > bdc::kMaxScratchFloats) return bdc::run_directly(plan, pool);
    bdc::run_packed(plan, pool);
}

}  // namespace okksim::models
