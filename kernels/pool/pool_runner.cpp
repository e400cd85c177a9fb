// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool_runner.h"

#include <algorithm>
#include <vector>

#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "isa/limits.h"
#include "kernels/call/computing.h"
#include "kernels/call/violations.h"
#include "kernels/prim/raw.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;

constexpr std::size_t kOutput = 0, kInput = 1;

/// Calls `visit` with the first `most` steps.
template <typename Visit>
void for_each_step(const PoolPlan& plan, std::int64_t most, const Visit& visit) {
    PoolStep step;
    const auto windows = [&](const std::vector<PoolSpan>& y, const std::vector<PoolSpan>& x) {
        for (const PoolSpan& row : y) {
            for (const PoolSpan& column : x) {
                if (most-- == 0) return false;
                step.span = {row, column};
                step.first = &row == &y.front() && &column == &x.front();
                step.last = &row == &y.back() && &column == &x.back();
                visit(step);
            }
        }
        return true;
    };
    for (std::int64_t n = 0; n < plan.repeats.extent; ++n) {
        for (std::int64_t c = 0; c < plan.channels.extent; c += plan.step_channels) {
            step.channels =
                isa::narrow(std::min<std::int64_t>(plan.step_channels, plan.channels.extent - c));
            for (std::size_t k = 0; k < step.offset.size(); ++k) {
                step.offset[k] = n * plan.repeats.strides[k] + c * plan.channels.strides[k];
            }
            for (const auto& y : plan.tiles[0]) {
                for (const auto& x : plan.tiles[1]) {
                    if (!windows(y, x)) return;
                }
            }
        }
    }
}

/// The stages of a step.
class PoolRunner {
 public:
    PoolRunner(const PoolOperator& op, const PoolPlan& plan)
        : op_(op),
          plan_(plan),
          lanes_(plan.lanes),
          parts_(static_cast<std::size_t>(op.combiner.parts())) {}

    void load(const PoolStep& step, int buffer) const {
        load_packed(plan_.in.at(static_cast<std::size_t>(buffer)), input_operand(step), lanes_);
        if (step.last) load_maps(step, buffer);
    }
    void store(const PoolStep& step, int buffer) const {
        if (!step.last) return;
        store_packed(output_operand(step), plan_.out.at(static_cast<std::size_t>(buffer)), lanes_);
    }
    void compute(const PoolStep& step, int buffer) const {
        if (plan_.packed) return find_maxima(step, static_cast<std::size_t>(buffer));
        Scratch scratch(plan_.scratch, plan_.scratch_bytes, lanes_);
        if (plan_.by_window) return combine_windows(step, buffer, scratch);
        const auto& [y, x] = step.span;
        const Values source = source_of(step, buffer, scratch);
        const dim4 extent = source.part[0].shape;
        // Rows first: they are contiguous, and fewer remain for the strided pass.
        const Values rows = values(plan_.rows, {1, step.channels, y.outputs, x.extent});
        fold_windows(op_.combiner, rows, source, TileAxis::kHeight,
                     window_of(y, op_.shape.stride[0]), plan_.folds[0], spare(extent), scratch);
        const dim4 result_shape{1, step.channels, y.outputs, x.outputs};
        const Values result = totals(buffer, result_shape);
        const Values target = step.first ? result : values(plan_.incoming, result_shape);
        fold_windows(op_.combiner, target, rows, TileAxis::kWidth,
                     window_of(x, op_.shape.stride[1]), plan_.folds[1], spare(rows.part[0].shape),
                     scratch);
        if (!step.first) op_.combiner.combine(result, result, target, scratch);
        if (step.last) finish(result, buffer, scratch);
    }

 private:
    /// Combines all windows by one command, which supports padding and factors.
    void combine_windows(const PoolStep& step, int buffer, Scratch& scratch) const {
        const auto& [y, x] = step.span;
        LocalTensor words =
            widen_tile(plan_.words.address, plan_.in.at(static_cast<std::size_t>(buffer)),
                       input_operand(step), op_.in_form, scratch);
        words.shape = in_slots(words.shape);
        const PoolStages& stages = op_.stages;
        if (stages.adapt && !stages.weight) stages.adapt(words, scratch);
        const auto [top, bottom] = padding_of(y);
        const auto [left, right] = padding_of(x);
        const Values result = totals(buffer, in_slots({1, step.channels, y.outputs, x.outputs}));
        op_.combiner.combine_window(
            result.part[0], words,
            {y.taps,
             x.taps,
             {top, bottom, left, right},
             {command_stride(y, op_.shape.stride[0]), command_stride(x, op_.shape.stride[1])},
             stages.weight.value_or(1.0f)});
        finish(result, buffer, scratch);
    }

    /// Turns more channels than a command takes into slots of all lanes.
    dim4 in_slots(const dim4& shape) const {
        if (shape.c <= isa::kMostChannels) return shape;
        return {shape.c / lanes_.count, lanes_.count, shape.h, shape.w};
    }

    /// Accumulators of a tile's results.
    Values totals(int buffer, const dim4& shape) const {
        if (!plan_.in_place) return values(plan_.result, shape);
        Values result;
        result.part[0] = {plan_.out.at(static_cast<std::size_t>(buffer)), shape, std::nullopt};
        return result;
    }

    /// Finds maxima of packed elements. Padding counts as less than all of them.
    void find_maxima(const PoolStep& step, std::size_t buffer) const {
        const auto& [y, x] = step.span;
        const dim4 shape{1, step.channels, y.valid_extent, x.valid_extent};
        const auto after = [](const PoolSpan& span) {
            return span.begin + span.extent - (span.valid + span.valid_extent);
        };
        const Padding padding{y.valid - y.begin, after(y), x.valid - x.begin, after(x)};
        const dim2 stride{op_.shape.stride[0], op_.shape.stride[1]};
        const okk_element_t type = op_.input.type == tosa::DType::kI8 ? OKK_INT8 : OKK_INT16;
        okk_bdc_int_max_pool2d(plan_.out.at(buffer), plan_.in.at(buffer), &shape,
                               op_.shape.kernel[0], op_.shape.kernel[1], &padding, &stride, type);
    }

    local_addr_t map_plane(int buffer, int map) const {
        return plan_.maps.at(static_cast<std::size_t>(buffer * op_.stages.maps + map));
    }
    /// Loads the constants at the outputs of a step into every lane.
    void load_maps(const PoolStep& step, int buffer) const {
        const auto& [y, x] = step.span;
        const auto& [height, width] = op_.shape.output;
        const dim4 shape{1, lanes_.count, y.outputs, x.outputs};
        const dim4 stride{0, 0, width, 1};
        for (int i = 0; i < op_.stages.maps; ++i) {
            const std::int64_t first = (std::int64_t{i} * height + y.out) * width + x.out;
            okk_gdma_32bit_cpy_S2L(map_plane(buffer, i),
                                   op_.stages.map_address + static_cast<std::uint64_t>(4 * first),
                                   &shape, nullptr, &stride);
        }
    }

    TileOperand operand(const DeviceTensor& tensor, const PoolStep& step, std::size_t end,
                        std::array<std::int32_t, 2> begin,
                        std::array<std::int32_t, 2> extent) const {
        const std::int64_t offset =
            step.offset[end] + begin[0] * tensor.strides[1] + begin[1] * tensor.strides[2];
        TileOperand block;
        block.address =
            tensor.address + static_cast<std::uint64_t>(offset * stored_bytes(tensor.type));
        block.type = tensor.type;
        block.c = step.channels;
        block.h = extent[0];
        block.w = extent[1];
        block.c_stride = plan_.channels.strides[end];
        block.h_stride = tensor.strides[1];
        block.w_stride = tensor.strides[2];
        return block;
    }
    TileOperand input_operand(const PoolStep& step) const {
        const auto& [y, x] = step.span;
        return operand(op_.input, step, kInput, {y.valid, x.valid},
                       {y.valid_extent, x.valid_extent});
    }
    TileOperand output_operand(const PoolStep& step) const {
        const auto& [y, x] = step.span;
        return operand(op_.output, step, kOutput, {y.out, x.out}, {y.outputs, x.outputs});
    }

    Values values(const LocalPlanes& planes, const dim4& shape, std::size_t first = 0) const {
        Values result;
        for (std::size_t i = 0; i < parts_; ++i) {
            result.part[i] = {planes.at(first + i), shape, std::nullopt};
        }
        return result;
    }
    std::array<Values, 2> spare(const dim4& shape) const {
        return {values(plan_.spare, shape), values(plan_.spare, shape, parts_)};
    }

    /// The values of a step's input.
    Values source_of(const PoolStep& step, int buffer, Scratch& scratch) const {
        const LocalTensor words =
            widen_tile(plan_.words.address, plan_.in.at(static_cast<std::size_t>(buffer)),
                       input_operand(step), op_.in_form, scratch);
        OKKSIM_CHECK(!words.stride);
        if (op_.stages.adapt) op_.stages.adapt(words, scratch);
        Values source;
        source.part[0] = padded(step, words);
        if (parts_ > 1) {
            source.part[1] = {plan_.second.address, source.part[0].shape, std::nullopt};
        }
        op_.combiner.prepare(source, scratch);
        return source;
    }

    /// The words of the input with the padding of the step.
    LocalTensor padded(const PoolStep& step, const LocalTensor& words) const {
        const auto& [y, x] = step.span;
        if (!y.padded() && !x.padded()) return words;
        const LocalTensor whole{
            plan_.padded.address, {1, step.channels, y.extent, x.extent}, std::nullopt};
        prim::raw::fill(whole, op_.combiner.neutral());
        LocalTensor inner = whole;
        inner.shape = words.shape;
        const int channel = isa::narrow(lanes_.whole_lines(std::int64_t{y.extent} * x.extent));
        inner.stride = dim4{0, channel, x.extent, 1};
        inner.address +=
            static_cast<local_addr_t>(4 * ((y.valid - y.begin) * x.extent + (x.valid - x.begin)));
        prim::raw::copy(inner, words);
        return whole;
    }

    void finish(const Values& result, int buffer, Scratch& scratch) const {
        const LocalTensor violations{plan_.violations.address, result.part[0].shape, std::nullopt};
        const LocalTensor output = op_.combiner.finish(result, scratch, &violations);
        std::vector<LocalTensor> maps;
        for (int i = 0; i < op_.stages.maps; ++i) {
            maps.push_back({map_plane(buffer, i), output.shape, dim4{0, 0, output.shape.w, 1}});
        }
        const bool is_weighed = plan_.by_window && op_.stages.weight && maps.empty();
        if (op_.stages.finish && !is_weighed) op_.stages.finish(output, maps, scratch);
        narrow_tile(plan_.out.at(static_cast<std::size_t>(buffer)), output, op_.output.type,
                    op_.out_form, scratch);
    }

    const PoolOperator& op_;
    const PoolPlan& plan_;
    const Lanes& lanes_;
    std::size_t parts_;
};

}  // namespace

void run_pool_steps(const PoolOperator& op, const PoolPlan& plan, std::int64_t most) {
    charge(OwnWork::kPool);
    PoolRunner runner(op, plan);
    TilePipeline<PoolStep, PoolRunner> pipeline(runner);
    for_each_step(plan, most, [&](const PoolStep& step) {
        charge(plan.by_window ? OwnWork::kPoolWindows : OwnWork::kPoolStep);
        pipeline.push(step);
    });
    pipeline.finish();
}

bool run_pool(const PoolOperator& op, const PoolPlan& plan) {
    const int checked = op.combiner.checks() ? static_cast<int>(plan.violations.bytes / 4) : 0;
    if (checked > 0) clear_violations(plan.violations.address, checked, plan.lanes);
    run_pool_steps(op, plan, INT64_MAX);
    return checked > 0 && any_violation(plan.violations.address, checked, plan.lanes);
}

}  // namespace okksim::kernels
