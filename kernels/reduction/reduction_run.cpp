// SPDX-License-Identifier: Apache-2.0
// The steps of a reduction. Values fold in halves, which takes few commands.
#include "kernels/reduction/reduction_run.h"

#include <algorithm>
#include <vector>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "isa/limits.h"
#include "kernels/call/computing.h"
#include "kernels/call/violations.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/raw.h"
#include "kernels/tiling/tile_pipeline.h"

namespace okksim::kernels {
namespace {

using isa::narrow;
using prim::LocalTensor;
using prim::Scratch;

std::array<std::int64_t, 2> moved(std::array<std::int64_t, 2> offset, const NdAxis& axis,
                                  std::int64_t steps) {
    for (std::size_t k = 0; k < offset.size(); ++k) offset[k] += steps * axis.strides[k];
    return offset;
}

NdAxis piece_of(const NdAxis& axis, std::int64_t begin, std::int64_t most) {
    NdAxis piece = axis;
    piece.extent = std::min(most, axis.extent - begin);
    return piece;
}

/// Calls `visit` with the first `most` steps.
template <typename Visit>
class StepLoop {
 public:
    StepLoop(const ReductionSpace& space, const ReductionPlan& plan, std::int64_t most,
             const Visit& visit)
        : space_(space), plan_(plan), left_(most), visit_(visit) {}

    void run() { loop(plan_.loops.size(), {}); }

 private:
    void loop(std::size_t depth, std::array<std::int64_t, 2> offset) {
        if (depth == 0) {
            for (const ReductionBlock& each : plan_.blocks) block(each, offset);
            return;
        }
        const NdAxis& axis = plan_.loops[depth - 1];
        for (std::int64_t i = 0; i < axis.extent && left_ > 0; ++i) {
            loop(depth - 1, moved(offset, axis, i));
        }
    }

    void block(const ReductionBlock& block, std::array<std::int64_t, 2> start) {
        for (std::size_t k = 0; k < start.size(); ++k) start[k] += block.offset[k];
        for (std::int64_t c = 0; c < block.channels.extent; c += plan_.tile_channels) {
            for (std::int64_t i = 0; i < block.line.extent; i += plan_.tile_line) {
                tile({moved(moved(start, block.channels, c), block.line, i),
                      piece_of(block.channels, c, plan_.tile_channels),
                      piece_of(block.line, i, plan_.tile_line)});
            }
        }
    }

    void tile(const ReductionTile& tile) {
        for (std::int64_t j = 0; j < space_.extent && left_ > 0; j += plan_.count, --left_) {
            const std::int64_t n = std::min(plan_.count, space_.extent - j);
            visit_(ReductionStep{tile, j, n, j == 0, j + n == space_.extent});
        }
    }

    const ReductionSpace& space_;
    const ReductionPlan& plan_;
    std::int64_t left_;
    const Visit& visit_;
};

/// The stages of a step.
class Reducer {
 public:
    Reducer(const Combiner& combiner, const ReductionSpace& space, const ReductionPlan& plan)
        : combiner_(combiner),
          space_(space),
          plan_(plan),
          lanes_(plan.lanes),
          parts_(static_cast<std::size_t>(combiner.parts())) {}

    void load(const ReductionStep& step, int buffer) const {
        load_packed(plan_.in.at(static_cast<std::size_t>(buffer)), input_operand(step), lanes_);
    }
    void store(const ReductionStep& step, int buffer) const {
        if (!step.last) return;
        store_packed(output_operand(step.tile), plan_.out.at(static_cast<std::size_t>(buffer)),
                     lanes_);
    }
    void compute(const ReductionStep& step, int buffer) const {
        Scratch scratch(plan_.scratch, plan_.scratch_bytes, lanes_);
        const TileOperand operand = input_operand(step);
        Values values;
        values.part[0] =
            widen_tile(plan_.words.address, plan_.in.at(static_cast<std::size_t>(buffer)), operand,
                       space_.in.form, scratch);
        OKKSIM_CHECK(!values.part[0].stride);
        // Only ARGMAX has a part that is computed elsewhere: the index.
        for (std::size_t p = 1; p < parts_; ++p) {
            values.part[p] = {plan_.further.at(p - 1), operand.shape(), std::nullopt};
        }
        if (!plan_.by_window) combiner_.prepare(values, scratch);
        gather(values, step, buffer, scratch);
        if (step.last) finish(step.tile, buffer, scratch);
    }

    /// Writes 0, 1, 2, ... as fp32 to every lane, one for each position of a step.
    void fill_indices() const {
        const std::int64_t count = plan_.count;
        const auto range = [&](std::int64_t begin, std::int64_t length) {
            const dim4 shape{1, lanes_.count, 1, narrow(length)};
            const int channel = narrow(lanes_.whole_lines(count));
            return LocalTensor{plan_.indices.address + static_cast<local_addr_t>(4 * begin), shape,
                               dim4{0, channel, channel, 1}};
        };
        prim::raw::fill(range(0, 1), 0.0f);
        for (std::int64_t done = 1; done < count; done *= 2) {
            const std::int64_t more = std::min(done, count - done);
            prim::raw::add(range(done, more), range(0, more), static_cast<float>(done));
        }
    }

 private:
    /// A block with `length` positions along the reduced axis next to the tile's line.
    TileOperand operand(const ReductionEnd& end, const ReductionTile& tile, std::size_t index,
                        std::int64_t offset, std::int64_t length) const {
        TileOperand block;
        block.address = end.address + static_cast<std::uint64_t>((tile.offset[index] + offset) *
                                                                 stored_bytes(end.type));
        block.type = end.type;
        block.c = narrow(tile.channels.extent);
        block.c_stride = tile.channels.strides[index];
        const std::int64_t line_stride = tile.line.strides[index];
        block.h = narrow(plan_.along_w ? tile.line.extent : length);
        block.h_stride = plan_.along_w ? line_stride : space_.stride;
        block.w = narrow(plan_.along_w ? length : tile.line.extent);
        block.w_stride = plan_.along_w ? space_.stride : line_stride;
        // An extent of 1 broadcasts nothing.
        if (block.c == 1) block.c_stride = 1;
        if (block.h == 1) block.h_stride = 1;
        if (block.w == 1) block.w_stride = 1;
        return block;
    }
    TileOperand input_operand(const ReductionStep& step) const {
        return operand(space_.in, step.tile, kReductionIn, step.begin * space_.stride, step.count);
    }
    TileOperand output_operand(const ReductionTile& tile) const {
        return operand(space_.out, tile, kReductionOut, 0, 1);
    }

    /// Positions [begin, begin + count) along the reduced axis of a tile.
    LocalTensor slice(const LocalTensor& whole, std::int64_t begin, std::int64_t count) const {
        const dim4& shape = whole.shape;
        const int channel = narrow(lanes_.whole_lines(std::int64_t{shape.h} * shape.w));
        LocalTensor part = whole;
        (plan_.along_w ? part.shape.w : part.shape.h) = narrow(count);
        part.stride = dim4{0, channel, shape.w, 1};
        part.address += static_cast<local_addr_t>(4 * begin * (plan_.along_w ? 1 : shape.w));
        return part;
    }
    Values slice(const Values& whole, std::int64_t begin, std::int64_t count) const {
        Values part;
        for (std::size_t i = 0; i < parts_; ++i) {
            part.part[i] = slice(whole.part[i], begin, count);
        }
        return part;
    }

    Values results(const LocalPlanes& planes, const dim4& shape) const {
        Values values;
        for (std::size_t p = 0; p < parts_; ++p) {
            values.part[p] = {planes.at(p), shape, std::nullopt};
        }
        return values;
    }

    /// Accumulators of a tile's results.
    Values totals(int buffer, const dim4& shape) const {
        if (!plan_.in_place) return results(plan_.accumulator, shape);
        Values values;
        values.part[0] = {plan_.out.at(static_cast<std::size_t>(buffer)), shape, std::nullopt};
        return values;
    }

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
    /// Leaves the maximum of all positions of one plane in position 0.
    void fold_maximum(const LocalTensor& plane, std::int64_t count) const {
        fold(count, [&](std::int64_t half, std::int64_t from) {
            const LocalTensor left = slice(plane, 0, half);
            prim::raw::maximum(left, left, slice(plane, from, half));
        });
    }

    /// A tensor that broadcasts position 0 to all positions of the axis.
    LocalTensor spread(const LocalTensor& plane) const {
        LocalTensor all = slice(plane, 0, plan_.along_w ? plane.shape.w : plane.shape.h);
        (plan_.along_w ? all.stride->w : all.stride->h) = 0;
        return all;
    }

    /// Finds the greatest keys and the first index that has them. Each further key reduces the
    /// candidates. The keys in `values` are destroyed.
    void find_first_maximum(const Values& values, const ReductionStep& step, const Values& target,
                            Scratch& scratch) const {
        const LocalTensor work{plan_.fold.address, values.part[0].shape, std::nullopt};
        const std::size_t keys = parts_ - 1;
        for (std::size_t k = 0; k < keys; ++k) {
            const LocalTensor& key = values.part[k];
            if (k > 0) prim::raw::bit_and(key, key, values.part[k - 1]);
            prim::raw::copy(work, key);
            fold_maximum(work, step.count);
            prim::raw::copy(target.part[k], slice(work, 0, 1));
            prim::raw::select_equal(key, key, spread(work), ~0u);
        }
        // Above every index of a step. Positions that are no candidates count 0.
        constexpr float kAbove = isa::kMostExtent + 1;
        const dim4 steps = plan_.along_w ? dim4{0, 0, 0, 1} : dim4{0, 0, 1, 0};
        prim::raw::subtract_from(work, {plan_.indices.address, work.shape, steps}, kAbove);
        prim::raw::bit_and(work, work, values.part[keys - 1]);
        fold_maximum(work, step.count);
        const LocalTensor& index = target.part[keys];
        prim::raw::subtract_from(index, slice(work, 0, 1), kAbove);
        prim::raw::to_int32(index, index);
        if (!step.first) prim::add_int32(index, index, narrow(step.begin), scratch);
    }

    /// Combines a step's positions into the accumulator.
    void gather(const Values& values, const ReductionStep& step, int buffer,
                Scratch& scratch) const {
        const dim4 shape = output_operand(step.tile).shape();
        const Values target = step.first ? totals(buffer, shape) : results(plan_.incoming, shape);
        if (plan_.by_window) {
            WindowShape window;
            (plan_.along_w ? window.width : window.height) = narrow(step.count);
            combiner_.combine_window(target.part[0], values.part[0], window);
        } else if (combiner_.ordered()) {
            find_first_maximum(values, step, target, scratch);
        } else {
            fold(values, step.count, scratch);
            for (std::size_t p = 0; p < parts_; ++p) {
                prim::raw::copy(target.part[p], slice(values.part[p], 0, 1));
            }
        }
        if (step.first && step.last) return;
        combiner_.settle(target, scratch);
        if (step.first) return;
        const Values sum = totals(buffer, shape);
        combiner_.combine(sum, sum, target, scratch);
        if (!step.last) combiner_.settle(sum, scratch);
    }

    void finish(const ReductionTile& tile, int buffer, Scratch& scratch) const {
        const dim4 shape = output_operand(tile).shape();
        const LocalTensor violations{plan_.violations.address, shape, std::nullopt};
        const LocalTensor result = combiner_.finish(totals(buffer, shape), scratch, &violations);
        narrow_tile(plan_.out.at(static_cast<std::size_t>(buffer)), result, space_.out.type,
                    space_.out.form, scratch);
    }

    const Combiner& combiner_;
    const ReductionSpace& space_;
    const ReductionPlan& plan_;
    const Lanes& lanes_;
    std::size_t parts_;
};

}  // namespace

void run_reduction_steps(const Combiner& combiner, const ReductionSpace& space,
                         const ReductionPlan& plan, std::int64_t most) {
    Reducer reducer(combiner, space, plan);
    if (combiner.ordered()) reducer.fill_indices();
    TilePipeline<ReductionStep, Reducer> pipeline(reducer);
    const auto push = [&](const ReductionStep& step) {
        charge(OwnWork::kReductionStep);
        pipeline.push(step);
    };
    StepLoop(space, plan, most, push).run();
    pipeline.finish();
}

bool run_reduction(const Combiner& combiner, const ReductionSpace& space,
                   const ReductionPlan& plan) {
    charge(OwnWork::kReduction);
    const int checked = combiner.checks() ? static_cast<int>(plan.violations.bytes / 4) : 0;
    if (checked > 0) clear_violations(plan.violations.address, checked, plan.lanes);
    run_reduction_steps(combiner, space, plan, INT64_MAX);
    return checked > 0 && any_violation(plan.violations.address, checked, plan.lanes);
}

}  // namespace okksim::kernels
