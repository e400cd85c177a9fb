// SPDX-License-Identifier: Apache-2.0
#include "kernels/tosa/pool_runner.h"

#include <algorithm>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/prim/raw.h"
#include "kernels/tiling/tile_pipeline.h"
#include "kernels/violations.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;

class PoolRunner {
 public:
    PoolRunner(const Combiner& combiner, const PoolShape& shape, const DeviceTensor& input,
               WordForm in_form, const DeviceTensor& output, WordForm out_form,
               const PoolStages& stages)
        : combiner_(combiner),
          shape_(shape),
          input_(input),
          output_(output),
          in_form_(in_form),
          out_form_(out_form),
          stages_(stages),
          lanes_(okk_npu_num()),
          parts_(static_cast<std::size_t>(combiner.parts())) {}

    /// True when the combiner checks and found a violation.
    bool run() {
        plan_memory();
        const int checked = combiner_.checks() ? static_cast<int>(plane_bytes_ / 4) : 0;
        if (checked > 0) clear_violations(violations_, checked);
        const std::vector<PoolStep> steps =
            plan_pool(shape_, input_, output_, plane_bytes_ / 4, lanes_);
        run_tile_pipeline(
            steps.size(), [&](std::size_t i) { load_packed(in_[i % 2], input_operand(steps[i])); },
            [&](std::size_t i) { compute(steps[i], i); },
            [&](std::size_t i) {
                if (steps[i].last) store_packed(output_operand(steps[i]), out_[i % 2]);
            },
            [&](std::size_t i) {
                if (steps[i].last && stages_.before) {
                    stages_.before(steps[i], constants_, plane_bytes_);
                }
            });
        return checked > 0 && any_violation(violations_, checked);
    }

 private:
    using Planes = std::array<local_addr_t, kMostParts>;

    /// Planes of one size for everything: two buffers at each end, words, padded words, violations,
    /// the parts of rows, results, incoming results and spare values, constants and scratch.
    void plan_memory() {
        const int scratch_planes =
            std::max({combiner_.planes(), stages_.planes, widen_planes(input_.type, in_form_),
                      narrow_planes(output_.type, out_form_)});
        const int parts = combiner_.parts();
        const bool words = needs_words(input_.type, in_form_);
        const int planes = 4 + (words ? 1 : 0) + 1 + (combiner_.checks() ? 1 : 0) + (parts - 1) +
                           5 * parts + stages_.constant_planes + scratch_planes;
        plane_bytes_ =
            okk_local_mem_size_per_npu() / static_cast<std::uint32_t>(planes) / 128 * 128;
        OKKSIM_CHECK(plane_bytes_ > 0);
        local_addr_t next = 0;
        const auto take = [&] {
            const local_addr_t address = next;
            next += plane_bytes_;
            return address;
        };
        in_ = {take(), take()};
        out_ = {take(), take()};
        if (words) words_ = take();
        padded_ = take();
        if (combiner_.checks()) violations_ = take();
        if (parts > 1) second_ = take();
        for (Planes* group : {&rows_, &result_, &incoming_, &spare_[0], &spare_[1]}) {
            for (int i = 0; i < parts; ++i) (*group)[static_cast<std::size_t>(i)] = take();
        }
        constants_ = next;
        next += plane_bytes_ * static_cast<std::uint32_t>(stages_.constant_planes);
        scratch_ = next;
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
        block.c_stride = step.channel_stride[end];
        block.h_stride = tensor.strides[1];
        block.w_stride = tensor.strides[2];
        return block;
    }

    TileOperand input_operand(const PoolStep& step) const {
        const auto& [y, x] = step.span;
        return operand(input_, step, 1, {y.valid, x.valid}, {y.valid_extent, x.valid_extent});
    }

    TileOperand output_operand(const PoolStep& step) const {
        const auto& [y, x] = step.span;
        return operand(output_, step, 0, {y.out, x.out}, {y.outputs, x.outputs});
    }

    Values values(const Planes& planes, const dim4& shape) const {
        Values result;
        for (std::size_t i = 0; i < parts_; ++i) {
            result.part[i] = {planes[i], shape, std::nullopt};
        }
        return result;
    }

    /// The words of the input with the padding that the step sees.
    LocalTensor padded(const PoolStep& step, const LocalTensor& words) const {
        const auto& [y, x] = step.span;
        if (!y.padded() && !x.padded()) return words;
        const LocalTensor whole{padded_, {1, step.channels, y.extent, x.extent}, std::nullopt};
        prim::raw::fill(whole, combiner_.neutral());
        LocalTensor inner = whole;
        inner.shape = words.shape;
        const auto channel =
            static_cast<int>(isa::align_up(std::int64_t{y.extent} * x.extent, std::int64_t{32}));
        inner.stride = dim4{0, channel, x.extent, 1};
        inner.address +=
            static_cast<local_addr_t>(4 * ((y.valid - y.begin) * x.extent + (x.valid - x.begin)));
        prim::raw::copy(inner, words);
        return whole;
    }

    void compute(const PoolStep& step, std::size_t i) const {
        Scratch scratch(scratch_, okk_local_mem_size_per_npu() - scratch_, lanes_);
        const auto& [y, x] = step.span;
        const LocalTensor words =
            widen_tile(words_, in_[i % 2], input_operand(step), in_form_, scratch);
        OKKSIM_CHECK(!words.stride);
        if (stages_.adapt) stages_.adapt(words, scratch);
        Values source;
        source.part[0] = padded(step, words);
        const dim4 extent = source.part[0].shape;
        if (parts_ > 1) source.part[1] = {second_, extent, std::nullopt};
        combiner_.prepare(source, scratch);
        // Rows first: they are contiguous, and fewer are left for the strided pass.
        const Values rows = values(rows_, {1, step.channels, y.outputs, x.extent});
        fold_windows(combiner_, rows, source, TileAxis::kHeight, window_of(y, shape_.stride[0]),
                     {values(spare_[0], extent), values(spare_[1], extent)}, scratch);
        const dim4 result_shape{1, step.channels, y.outputs, x.outputs};
        const Values result = values(result_, result_shape);
        const Values target = step.first ? result : values(incoming_, result_shape);
        const dim4 rows_shape = rows.part[0].shape;
        fold_windows(combiner_, target, rows, TileAxis::kWidth, window_of(x, shape_.stride[1]),
                     {values(spare_[0], rows_shape), values(spare_[1], rows_shape)}, scratch);
        if (!step.first) combiner_.combine(result, result, target, scratch);
        if (!step.last) return;
        const LocalTensor violations{violations_, result_shape, std::nullopt};
        const LocalTensor output = combiner_.finish(result, scratch, &violations);
        if (stages_.finish) stages_.finish(step, output, scratch);
        narrow_tile(out_[i % 2], output, output_.type, out_form_, scratch);
    }

    const Combiner& combiner_;
    const PoolShape& shape_;
    const DeviceTensor& input_;
    const DeviceTensor& output_;
    WordForm in_form_, out_form_;
    const PoolStages& stages_;
    int lanes_;
    std::size_t parts_;
    std::uint32_t plane_bytes_ = 0;
    std::array<local_addr_t, 2> in_{}, out_{};
    Planes rows_{}, result_{}, incoming_{};
    std::array<Planes, 2> spare_{};
    local_addr_t words_ = 0, padded_ = 0, violations_ = 0, second_ = 0, constants_ = 0,
                 scratch_ = 0;
};

}  // namespace

bool run_pool(const Combiner& combiner, const PoolShape& shape, const DeviceTensor& input,
              WordForm in_form, const DeviceTensor& output, WordForm out_form,
              const PoolStages& stages) {
    return PoolRunner(combiner, shape, input, in_form, output, out_form, stages).run();
}

}  // namespace okksim::kernels
