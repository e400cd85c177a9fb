// SPDX-License-Identifier: Apache-2.0
#include "kernels/axis_reduction.h"

#include <algorithm>
#include <vector>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "isa/layout.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/raw.h"
#include "kernels/tiling/reduction_steps.h"
#include "kernels/tiling/tile_pipeline.h"
#include "kernels/violations.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;

/// A reduction and what lies at its ends.
struct Space : ReductionSpace {
    ReductionEnd in, out;
};

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

/// Runs one space.
class Reducer {
 public:
    Reducer(const Combiner& combiner, const Space& space)
        : combiner_(combiner.of_terms(space.extent)), space_(space), lanes_(okk_npu_num()) {}

    /// True when the combiner checks and found a violation.
    bool run() {
        plan_memory();
        const ReductionPlan plan = plan_reduction(space_, plane_words_, lanes_);
        along_w_ = plan.along_w;
        const std::vector<ReductionStep>& steps = plan.steps;
        if (combiner_.ordered()) fill_indices(steps);
        const int checked = combiner_.checks() ? output_words(steps) : 0;
        if (checked > 0) clear_violations(violations_, checked);
        run_tile_pipeline(
            steps.size(), [&](std::size_t i) { load_packed(in_[i % 2], input_operand(steps[i])); },
            [&](std::size_t i) { compute(steps[i], i); },
            [&](std::size_t i) {
                if (steps[i].last) store_packed(output_operand(steps[i].tile), out_[i % 2]);
            });
        return checked > 0 && any_violation(violations_, checked);
    }

 private:
    /// Planes of equal size: two buffers for each end, the words and their further parts, the
    /// indices and folded keys, violations, accumulator and incoming values, and scratch.
    void plan_memory() {
        const int scratch_planes =
            std::max({combiner_.planes(), widen_planes(space_.in.type, space_.in.form),
                      narrow_planes(space_.out.type, space_.out.form)});
        const int parts = combiner_.parts();
        const int planes = 4 + (combiner_.ordered() ? 2 : 0) + (combiner_.checks() ? 1 : 0) +
                           3 * parts + scratch_planes;
        const std::uint32_t plane =
            okk_local_mem_size_per_npu() / static_cast<std::uint32_t>(planes) / 128 * 128;
        plane_words_ = plane / 4;
        local_addr_t next = 0;
        const auto take = [&] {
            const local_addr_t address = next;
            next += plane;
            return address;
        };
        in_ = {take(), take()};
        out_ = {take(), take()};
        words_ = take();
        if (combiner_.ordered()) {
            indices_ = take();
            fold_ = take();
        }
        if (combiner_.checks()) violations_ = take();
        for (int i = 0; i < parts; ++i) {
            const auto p = static_cast<std::size_t>(i);
            part_[p] = i == 0 ? words_ : take();
            accumulator_[p] = take();
            incoming_[p] = take();
        }
        scratch_ = next;
        scratch_bytes_ = okk_local_mem_size_per_npu() - next;
    }

    /// Words per lane of the largest output tile.
    int output_words(const std::vector<ReductionStep>& steps) const {
        std::uint32_t most = 0;
        for (const ReductionStep& step : steps) {
            most = std::max(most, prim::plane_bytes(output_operand(step.tile).shape(), lanes_));
        }
        return static_cast<int>(most / 4);
    }

    TileOperand input_operand(const ReductionStep& step) const {
        const ReductionTile& tile = step.tile;
        TileOperand operand;
        const std::int64_t offset = tile.offset[kReductionIn] + step.begin * space_.stride;
        operand.address =
            space_.in.address + static_cast<std::uint64_t>(offset * stored_bytes(space_.in.type));
        operand.type = space_.in.type;
        operand.c = narrow(tile.channels.extent);
        operand.c_stride = tile.channels.strides[kReductionIn];
        operand.h = narrow(along_w_ ? tile.line.extent : step.count);
        operand.h_stride = along_w_ ? tile.line.strides[kReductionIn] : space_.stride;
        operand.w = narrow(along_w_ ? step.count : tile.line.extent);
        operand.w_stride = along_w_ ? space_.stride : tile.line.strides[kReductionIn];
        // An extent of 1 broadcasts nothing.
        if (operand.c == 1) operand.c_stride = 1;
        if (operand.h == 1) operand.h_stride = 1;
        if (operand.w == 1) operand.w_stride = 1;
        return operand;
    }

    TileOperand output_operand(const ReductionTile& tile) const {
        TileOperand operand;
        operand.address =
            space_.out.address +
            static_cast<std::uint64_t>(tile.offset[kReductionOut] * stored_bytes(space_.out.type));
        operand.type = space_.out.type;
        operand.c = narrow(tile.channels.extent);
        operand.c_stride = tile.channels.strides[kReductionOut];
        (along_w_ ? operand.h : operand.w) = narrow(tile.line.extent);
        (along_w_ ? operand.h_stride : operand.w_stride) = tile.line.strides[kReductionOut];
        return operand;
    }

    /// Positions [begin, begin + count) along the reduced axis of a tile.
    LocalTensor slice(const LocalTensor& whole, std::int64_t begin, std::int64_t count) const {
        const dim4& shape = whole.shape;
        const int channel = narrow(isa::align_up(std::int64_t{shape.h} * shape.w, 32));
        LocalTensor part = whole;
        (along_w_ ? part.shape.w : part.shape.h) = narrow(count);
        part.stride = dim4{0, channel, shape.w, 1};
        part.address += static_cast<local_addr_t>(4 * begin * (along_w_ ? 1 : shape.w));
        return part;
    }

    Values slice(const Values& whole, std::int64_t begin, std::int64_t count) const {
        Values part;
        for (std::size_t i = 0; i < parts(); ++i) {
            part.part[i] = slice(whole.part[i], begin, count);
        }
        return part;
    }

    std::size_t parts() const { return static_cast<std::size_t>(combiner_.parts()); }

    /// Leaves the combination of all positions in position 0.
    template <typename Combine>
    void fold(std::int64_t count, const Combine& combine) const {
        while (count > 1) {
            const std::int64_t half = count / 2;
            combine(half, count - half);
            count -= half;
        }
    }

    void fold(const Values& values, std::int64_t count, Scratch& scratch) const {
        std::int64_t terms = 1;
        fold(count, [&](std::int64_t half, std::int64_t from) {
            if (2 * terms > combiner_.most_unsettled()) {
                combiner_.settle(slice(values, 0, from + half), scratch);
                terms = 1;
            }
            terms *= 2;
            const Values left = slice(values, 0, half);
            combiner_.combine(left, left, slice(values, from, half), scratch);
        });
    }

    /// The same for the maximum of one plane.
    void fold_maximum(const LocalTensor& plane, std::int64_t count) const {
        fold(count, [&](std::int64_t half, std::int64_t from) {
            const LocalTensor left = slice(plane, 0, half);
            prim::raw::maximum(left, left, slice(plane, from, half));
        });
    }

    /// A tensor whose position 0 stands for all positions of the axis.
    LocalTensor spread(const LocalTensor& plane) const {
        LocalTensor all = slice(plane, 0, along_w_ ? plane.shape.w : plane.shape.h);
        (along_w_ ? all.stride->w : all.stride->h) = 0;
        return all;
    }

    /// The greatest keys and the first index that has them: one key after the other leaves fewer
    /// candidates. The keys in `values` are destroyed.
    void find_first_maximum(const Values& values, const ReductionStep& step, const Values& target,
                            Scratch& scratch) const {
        const LocalTensor work{fold_, values.part[0].shape, std::nullopt};
        const std::size_t keys = parts() - 1;
        for (std::size_t k = 0; k < keys; ++k) {
            const LocalTensor& key = values.part[k];
            if (k > 0) prim::raw::bit_and(key, key, values.part[k - 1]);
            prim::raw::copy(work, key);
            fold_maximum(work, step.count);
            prim::raw::copy(target.part[k], slice(work, 0, 1));
            prim::raw::select_equal(key, key, spread(work), ~0u);
        }
        // Above every index of a step; what is no candidate counts 0.
        constexpr float kAbove = 65536.0f;
        const dim4 steps = along_w_ ? dim4{0, 0, 0, 1} : dim4{0, 0, 1, 0};
        prim::raw::subtract_from(work, {indices_, work.shape, steps}, kAbove);
        prim::raw::bit_and(work, work, values.part[keys - 1]);
        fold_maximum(work, step.count);
        const LocalTensor& index = target.part[keys];
        prim::raw::subtract_from(index, slice(work, 0, 1), kAbove);
        prim::raw::to_int32(index, index);
        if (!step.first) prim::add_int32(index, index, narrow(step.begin), scratch);
    }

    /// 0, 1, 2, ... as fp32 in every lane, as many as a step has positions.
    void fill_indices(const std::vector<ReductionStep>& steps) {
        std::int64_t count = 0;
        for (const ReductionStep& step : steps) count = std::max(count, step.count);
        const auto range = [&](std::int64_t begin, std::int64_t length) {
            const dim4 shape{1, lanes_, 1, narrow(length)};
            const int channel = narrow(isa::align_up(count, std::int64_t{32}));
            return LocalTensor{indices_ + static_cast<local_addr_t>(4 * begin), shape,
                               dim4{0, channel, channel, 1}};
        };
        prim::raw::fill(range(0, 1), 0.0f);
        for (std::int64_t done = 1; done < count; done *= 2) {
            const std::int64_t more = std::min(done, count - done);
            prim::raw::add(range(done, more), range(0, more), static_cast<float>(done));
        }
    }

    void compute(const ReductionStep& step, std::size_t i) {
        Scratch scratch(scratch_, scratch_bytes_, lanes_);
        const TileOperand operand = input_operand(step);
        Values values;
        values.part[0] = widen_tile(words_, in_[i % 2], operand, space_.in.form, scratch);
        OKKSIM_CHECK(!values.part[0].stride);
        // Only ARGMAX has a part that is not made here: the index.
        for (std::size_t p = 1; p < parts(); ++p) {
            values.part[p] = {part_[p], operand.shape(), std::nullopt};
        }
        combiner_.prepare(values, scratch);
        gather(values, step, scratch);
        if (step.last) finish(step.tile, i, scratch);
    }

    /// The combination of a step's positions into the accumulator.
    void gather(const Values& values, const ReductionStep& step, Scratch& scratch) const {
        const dim4 shape = output_operand(step.tile).shape();
        Values target;
        for (std::size_t p = 0; p < parts(); ++p) {
            target.part[p] = {step.first ? accumulator_[p] : incoming_[p], shape, std::nullopt};
        }
        if (combiner_.ordered()) {
            find_first_maximum(values, step, target, scratch);
        } else {
            fold(values, step.count, scratch);
            for (std::size_t p = 0; p < parts(); ++p) {
                prim::raw::copy(target.part[p], slice(values.part[p], 0, 1));
            }
        }
        if (step.first && step.last) return;
        combiner_.settle(target, scratch);
        if (step.first) return;
        Values sum = target;
        for (std::size_t p = 0; p < parts(); ++p) sum.part[p].address = accumulator_[p];
        combiner_.combine(sum, sum, target, scratch);
        if (!step.last) combiner_.settle(sum, scratch);
    }

    void finish(const ReductionTile& tile, std::size_t i, Scratch& scratch) const {
        const dim4 shape = output_operand(tile).shape();
        Values values;
        for (std::size_t p = 0; p < parts(); ++p) {
            values.part[p] = {accumulator_[p], shape, std::nullopt};
        }
        const LocalTensor violations{violations_, shape, std::nullopt};
        const LocalTensor result = combiner_.finish(values, scratch, &violations);
        narrow_tile(out_[i % 2], result, space_.out.type, space_.out.form, scratch);
    }

    Combiner combiner_;
    const Space& space_;
    int lanes_;
    bool along_w_ = true;
    std::int64_t plane_words_ = 0;
    std::array<local_addr_t, 2> in_{}, out_{};
    std::array<local_addr_t, kMostParts> part_{}, accumulator_{}, incoming_{};
    local_addr_t words_ = 0, indices_ = 0, fold_ = 0, violations_ = 0, scratch_ = 0;
    std::uint32_t scratch_bytes_ = 0;
};

/// Words of partial results: fp32, or int32 for integers and bool.
tosa::DType partial_type(const ReductionEnd& input) {
    const bool is_float = input.form == WordForm::kFloat || tosa::is_floating_point(input.type);
    return is_float ? tosa::DType::kFp32 : tosa::DType::kI32;
}

/// Reduces `pieces` pieces of the axis to partial results in L2-SRAM, then these. For few outputs.
/// True when a check failed somewhere: of a result, or of a partial one.
bool reduce_in_two_steps(const Combiner& combiner, const Space& space, std::int64_t outputs,
                         std::int64_t pieces) {
    const std::int64_t length = space.extent / pieces;
    const std::int64_t rest = space.extent - pieces * length;
    const std::int64_t partials = pieces + (rest > 0 ? 1 : 0);
    OKKSIM_CHECK(outputs * partials * 4 <= std::int64_t{okk_l2_sram_size()});
    Space first = space;
    first.out.address = okk_l2_sram_start_addr();
    first.out.type = partial_type(space.in);
    first.out.form = WordForm::kValue;
    Space second = space;
    second.in = first.out;
    std::int64_t place = partials;
    for (std::size_t i = 0; i < space.axes.size(); ++i) {
        first.axes[i].strides[kReductionOut] = place;
        second.axes[i].strides[kReductionIn] = place;
        place *= space.axes[i].extent;
    }
    second.extent = partials;
    second.stride = 1;
    Space tail = first;
    NdAxis piece;
    piece.extent = pieces;
    piece.strides[kReductionOut] = 1;
    piece.strides[kReductionIn] = length * space.stride;
    first.axes.push_back(piece);
    first.extent = length;
    bool violated = Reducer(combiner, first).run();
    if (rest > 0) {
        tail.in.address += static_cast<std::uint64_t>(pieces * length * space.stride *
                                                      stored_bytes(space.in.type));
        tail.out.address += static_cast<std::uint64_t>(4 * pieces);
        tail.extent = rest;
        violated |= Reducer(combiner, tail).run();
    }
    return Reducer(combiner, second).run() || violated;
}

}  // namespace

bool reduce_axis(const Combiner& combiner, const ReductionEnd& input, const ReductionEnd& output,
                 std::span<const std::int32_t> dims, int axis) {
    std::vector<std::int32_t> others(dims.begin(), dims.end());
    others[static_cast<std::size_t>(axis)] = 1;
    const std::array<NdStrides, 2> operands{output.strides, input.strides};
    Space space;
    space.in = input;
    space.out = output;
    space.axes = merged_axes(others, operands);
    space.extent = dims[static_cast<std::size_t>(axis)];
    space.stride = input.strides[static_cast<std::size_t>(axis)];
    if (space.extent == 1) space.stride = 1;
    std::int64_t outputs = 1;
    for (const NdAxis& other : space.axes) outputs *= other.extent;
    const std::int64_t lanes = okk_npu_num();
    if (combiner.repeats() && 2 * outputs <= lanes && space.extent >= 4 * lanes) {
        // Partial sums may leave the range of their words where the whole sum does not.
        if (!reduce_in_two_steps(combiner, space, outputs, lanes)) return false;
    }
    return Reducer(combiner, space).run();
}

}  // namespace okksim::kernels
