// SPDX-License-Identifier: Apache-2.0
#include "kernels/pool/pool_planner.h"

#include <algorithm>
#include <optional>

#include "isa/base/errors.h"
#include "isa/limits.h"
#include "kernels/planning/fastest.h"
#include "kernels/planning/too_small.h"
#include "kernels/pool/pool_runner.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

/// Numbers of tiles that are priced, among those that fit: smaller tiles only add commands.
constexpr std::size_t kPricedCounts = 5;

/// Extents of a step's outputs and window parts, [y, x].
struct TileSize {
    std::array<std::int64_t, 2> outputs{}, taps{};
};

/// Parts of the output and the window along an axis.
std::vector<std::vector<PoolSpan>> cut_axis(const PoolShape& shape, const TileSize& size,
                                            std::size_t axis) {
    std::vector<std::vector<PoolSpan>> tiles;
    for (std::int64_t out = 0; out < shape.output[axis]; out += size.outputs[axis]) {
        std::vector<PoolSpan> parts;
        for (std::int64_t tap = 0; tap < shape.kernel[axis]; tap += size.taps[axis]) {
            PoolSpan span;
            span.out = narrow(out);
            span.outputs = narrow(std::min(size.outputs[axis], shape.output[axis] - out));
            span.tap = narrow(tap);
            span.taps = narrow(std::min(size.taps[axis], shape.kernel[axis] - tap));
            span.begin = span.out * shape.stride[axis] - shape.pad_before[axis] + span.tap;
            span.extent = (span.outputs - 1) * shape.stride[axis] + span.taps;
            span.valid = std::max(span.begin, 0);
            const std::int32_t end = std::min(span.begin + span.extent, shape.input[axis]);
            span.valid_extent = end - span.valid;
            if (span.valid_extent > 0) parts.push_back(span);
        }
        tiles.push_back(std::move(parts));
    }
    return tiles;
}

/// Largest sizes of spans along an axis.
struct Reach {
    std::int32_t outputs = 0, extent = 0, valid = 0;
    bool padded = false, in_parts = false, needs_spare = false;
};

Reach reach_of(const std::vector<std::vector<PoolSpan>>& tiles, std::int32_t stride,
               FoldOrder order) {
    Reach reach;
    for (const std::vector<PoolSpan>& parts : tiles) {
        for (const PoolSpan& span : parts) {
            reach.outputs = std::max(reach.outputs, span.outputs);
            reach.extent = std::max(reach.extent, span.extent);
            reach.valid = std::max(reach.valid, span.valid_extent);
            reach.padded |= span.padded();
            reach.needs_spare |= needs_spare(window_of(span, stride), order);
        }
        reach.in_parts |= parts.size() > 1;
    }
    return reach;
}

/// True if windows, steps and padding of all tiles fit one command.
bool fits_commands(const PoolPlan& plan, const PoolShape& shape) {
    const auto fits = [&](const PoolSpan& span, std::int32_t stride) {
        const auto [before, after] = padding_of(span);
        return std::max(before, after) <= isa::kMostPadding &&
               (stride <= isa::kMostStep || (plan.by_window && span.outputs == 1)) &&
               span.extent <= isa::kMostWindowExtent;
    };
    for (std::size_t axis = 0; axis < 2; ++axis) {
        for (const std::vector<PoolSpan>& parts : plan.tiles[axis]) {
            if (parts.size() != 1 || !fits(parts.front(), shape.stride[axis])) return false;
        }
    }
    return true;
}

/// Allocates a plan's planes. Returns the bytes that it needs in every lane.
std::int64_t place(const PoolOperator& op, const Lanes& lanes, PoolPlan& plan) {
    const Reach y = reach_of(plan.tiles[0], op.shape.stride[0], plan.folds[0]);
    const Reach x = reach_of(plan.tiles[1], op.shape.stride[1], plan.folds[1]);
    const std::int32_t c = plan.step_channels;
    const dim4 valid{1, c, y.valid, x.valid}, extent{1, c, y.extent, x.extent};
    const dim4 rows{1, c, y.outputs, x.extent}, result{1, c, y.outputs, x.outputs};
    const int parts = op.combiner.parts();
    plan.lanes = lanes;
    LocalPlacement place(lanes);
    plan.in = place.take(place.packed(op.input.type, valid), plan.buffers);
    plan.out = place.take(place.packed(op.output.type, result), plan.buffers);
    if (plan.packed) return place.next();
    const bool in_parts = y.in_parts || x.in_parts, folds = !plan.by_window;
    const bool needs_padding = folds && (y.padded || x.padded);
    const bool spares = folds && (y.needs_spare || x.needs_spare);
    plan.in_place = parts == 1 && !in_parts && !op.combiner.checks() &&
                    !needs_words(op.output.type, op.out_form);
    plan.words = place.take(place.plane(valid), needs_words(op.input.type, op.in_form) ? 1 : 0);
    plan.padded = place.take(place.plane(extent), needs_padding ? 1 : 0);
    plan.second = place.take(place.plane(extent), parts - 1);
    plan.rows = place.take(place.plane(rows), folds ? parts : 0);
    plan.result = place.take(place.plane(result), plan.in_place ? 0 : parts);
    plan.incoming = place.take(place.plane(result), in_parts ? parts : 0);
    plan.spare = place.take(place.plane(y.needs_spare ? extent : rows), spares ? 2 * parts : 0);
    plan.violations = place.take(place.plane(result), op.combiner.checks() ? 1 : 0);
    plan.maps = place.take(place.plane({1, lanes.count, y.outputs, x.outputs}),
                           op.stages.maps * plan.buffers);
    const std::int64_t scratch = std::max(
        {place.plane(valid) * std::max(widen_planes(op.input.type, op.in_form), op.stages.planes),
         place.plane(extent) * op.combiner.planes(),
         place.plane(result) *
             std::max(op.stages.planes, narrow_planes(op.output.type, op.out_form))});
    plan.scratch = static_cast<local_addr_t>(place.next());
    plan.scratch_bytes = static_cast<std::uint32_t>(scratch);
    return place.next() + scratch;
}

class PoolPlanner {
 public:
    PoolPlanner(const PoolOperator& op, const isa::MachineShape& machine)
        : op_(op),
          lanes_(lanes_of(machine)),
          local_bytes_(machine.local_bytes),
          packed_(op.is_integer_maximum && isa::has_feature(machine, isa::Feature::kInt8Mac)) {}

    std::vector<PoolPlan> candidates() {
        const std::array<std::int32_t, 4> dims{op_.input.dims[0], 1, 1, op_.input.dims[3]};
        std::array<NdStrides, 2> operands{};
        for (std::size_t i = 0; i < 4; ++i) {
            operands[0][i] = op_.output.strides[i];
            operands[1][i] = op_.input.strides[i];
        }
        std::vector<NdAxis> axes = merged_axes(dims, operands);
        axes.resize(2);
        add_both(axes);
        if (plans_.empty() && packed_) {
            packed_ = false;
            add_both(axes);
        }
        if (plans_.empty()) throw_too_small("pool", local_bytes_);
        return std::move(plans_);
    }

 private:
    /// Tries either axis over the lanes.
    void add_both(const std::vector<NdAxis>& axes) {
        add_all(axes[0], axes[1]);
        if (axes[1].extent > 1) add_all(axes[1], axes[0]);
    }
    void add_all(const NdAxis& channels, const NdAxis& repeats) {
        const std::size_t before = plans_.size();
        PoolPlan plan;
        plan.channels = channels;
        plan.repeats = repeats;
        plan.packed = packed_;
        for (const FoldOrder y : orders(0)) {
            for (const FoldOrder x : orders(1)) {
                plan.folds = {y, x};
                add_channels(plan);
            }
        }
        if (!packed_ && op_.combiner.has_window()) {
            plan.folds = {};
            plan.by_window = true;
            add_channels(plan);
        }
        if (plans_.size() == before && !packed_) add_window_parts(channels, repeats);
    }

    /// Tries different numbers of channels per step.
    void add_channels(PoolPlan& plan) {
        // If words fill whole slots, commands can use the batch dimension for channels.
        const bool batches = plan.by_window && plan.channels.extent % lanes_.count == 0 &&
                             !needs_words(op_.input.type, op_.in_form) &&
                             !needs_words(op_.output.type, op_.out_form);
        for (std::int64_t slots = 1;; slots *= 2) {
            if (slots > 1 && slots * lanes_.count > isa::kMostChannels && !batches) break;
            if (slots > isa::kMostBatch) break;
            plan.step_channels = narrow(std::min(slots * lanes_.count, plan.channels.extent));
            add_tiles(plan);
            if (slots * lanes_.count >= plan.channels.extent) break;
        }
    }

    /// Pairs save commands only in long windows. A single command has no order.
    std::vector<FoldOrder> orders(std::size_t axis) const {
        std::vector<FoldOrder> orders{FoldOrder::kInTurn};
        if (!packed_ && pairs_save_commands(op_.shape.kernel[axis]))
            orders.push_back(FoldOrder::kPairs);
        return orders;
    }

    /// Whole windows: tries the plan's channels with different numbers of tiles.
    void add_tiles(const PoolPlan& plan) {
        const auto& output = op_.shape.output;
        std::size_t fitting = 0;
        std::int64_t before = 0;
        // Each number of tiles is about a third larger than the previous one.
        for (std::int64_t count = 1; before != 1; count += isa::div_up(count, 3)) {
            const std::int64_t rows =
                isa::div_up(output[0], std::min<std::int64_t>(count, output[0]));
            if (rows == before) continue;
            before = rows;
            for (std::int64_t columns = output[1]; columns > 0;
                 columns = columns == 1 ? 0 : isa::div_up(columns, 2)) {
                if (!add(plan, {{rows, columns}, {op_.shape.kernel[0], op_.shape.kernel[1]}})) {
                    continue;
                }
                if (++fitting == kPricedCounts) return;
                break;
            }
        }
    }

    /// Windows that do not fit: uses the largest parts that do, of one output.
    void add_window_parts(const NdAxis& channels, const NdAxis& repeats) {
        PoolPlan plan;
        plan.channels = channels;
        plan.repeats = repeats;
        plan.step_channels = narrow(std::min<std::int64_t>(lanes_.count, channels.extent));
        TileSize size{{1, 1}, {op_.shape.kernel[0], op_.shape.kernel[1]}};
        while (!add(plan, size)) {
            std::int64_t& longer = size.taps[0] > 1 ? size.taps[0] : size.taps[1];
            if (longer == 1) throw_too_small("pool", local_bytes_);
            longer = isa::div_up(longer, 2);
        }
    }

    /// Returns false if tiles of the size do not fit.
    bool add(PoolPlan plan, const TileSize& size) {
        std::int64_t words = 1;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            words *= (size.outputs[axis] - 1) * op_.shape.stride[axis] + size.taps[axis];
            plan.tiles[axis] = cut_axis(op_.shape, size, axis);
        }
        const bool is_command = plan.packed || plan.by_window;
        if (is_command ? !fits_commands(plan, op_.shape) : words > isa::kMostExtent) return false;
        plan.buffers = plan.steps() == 1 ? 1 : 2;
        if (place(op_, lanes_, plan) > local_bytes_) return false;
        plans_.push_back(std::move(plan));
        return true;
    }

    const PoolOperator& op_;
    Lanes lanes_;
    std::int64_t local_bytes_;
    bool packed_;  ///< plans have one command per step
    std::vector<PoolPlan> plans_;
};

}  // namespace

std::vector<PoolPlan> pool_candidates(const PoolOperator& op, const isa::MachineShape& machine) {
    return PoolPlanner(op, machine).candidates();
}

PoolPlan plan_pool(const PoolOperator& op, Host& host) {
    return fastest_plan(pool_candidates(op, host.machine()), host,
                        [&](const PoolPlan& plan) -> SteppedFirmware {
                            return {plan.steps(), plan.volume(),
                                    [&](std::int64_t most) { run_pool_steps(op, plan, most); }};
                        });
}

}  // namespace okksim::kernels
