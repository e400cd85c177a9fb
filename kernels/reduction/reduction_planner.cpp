// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/reduction_planner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "isa/base/errors.h"
#include "isa/limits.h"
#include "kernels/planning/fastest.h"
#include "kernels/planning/too_small.h"
#include "kernels/reduction/reduction_run.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

/// Most dimensions that are tried as channels and as the line, and most tiles along the line.
constexpr std::size_t kTriedAxes = 3;
constexpr std::size_t kTriedLines = 3;

void advance(std::array<std::int64_t, 2>& offset, const NdAxis& axis, std::int64_t steps) {
    for (std::size_t k = 0; k < offset.size(); ++k) offset[k] += steps * axis.strides[k];
}

class ReductionPlanner {
 public:
    ReductionPlanner(const Combiner& combiner, const ReductionSpace& space,
                     const isa::MachineShape& machine)
        : combiner_(combiner),
          space_(space),
          lanes_(lanes_of(machine)),
          local_bytes_(machine.local_bytes) {}

    std::vector<ReductionPlan> candidates() {
        const std::vector<NdAxis>& axes = space_.axes;
        const std::size_t tried = std::min(axes.size(), kTriedAxes);
        for (std::size_t c = 0; c < tried; ++c) {
            add_split(c);
            if (axes.size() == 1) add(c, c);
            for (std::size_t line = 0; line < tried; ++line) {
                if (line != c) add(c, line);
            }
        }
        if (plans_.empty()) throw_too_small("reduction", local_bytes_);
        return std::move(plans_);
    }

 private:
    std::vector<NdAxis> others(std::size_t a, std::size_t b) const {
        std::vector<NdAxis> left;
        for (std::size_t i = 0; i < space_.axes.size(); ++i) {
            if (i != a && i != b) left.push_back(space_.axes[i]);
        }
        return left;
    }

    /// Dimension `c` over the lanes, `line` next to the reduced axis; `line` == `c`: no line.
    void add(std::size_t c, std::size_t line) {
        ReductionPlan plan;
        plan.loops = others(c, line);
        const NdAxis none;
        plan.blocks = {{{}, space_.axes[c], line == c ? none : space_.axes[line]}};
        add_tiles(plan);
    }

    /// Pieces of one dimension are channels; the remainder is a narrower block.
    void add_split(std::size_t index) {
        const NdAxis& whole = space_.axes[index];
        if (whole.extent < 2 * std::int64_t{lanes_.count}) return;
        const std::int64_t piece = isa::div_up(whole.extent, lanes_.count);
        NdAxis inner = whole, outer = whole;
        inner.extent = piece;
        outer.extent = whole.extent / piece;
        for (std::int64_t& stride : outer.strides) stride *= piece;
        ReductionPlan plan;
        plan.loops = others(index, index);
        plan.blocks = {{{}, outer, inner}};
        if (const std::int64_t rest = whole.extent - outer.extent * piece; rest > 0) {
            ReductionBlock block{{}, NdAxis{}, inner};
            block.line.extent = rest;
            advance(block.offset, outer, outer.extent);
            plan.blocks.push_back(block);
        }
        add_tiles(plan);
    }

    void add_tiles(ReductionPlan& plan) {
        const std::int64_t slots =
            std::min(lanes_.slots(plan.blocks.front().channels.extent),
                     std::max<std::int64_t>(1, isa::kMostChannels / lanes_.count));
        for (const bool by_window : {false, true}) {
            if (by_window && !combiner_.has_window()) continue;
            plan.by_window = by_window;
            for (const bool along_w : {true, false}) {
                plan.along_w = along_w;
                for (std::int64_t part = slots; part > 0; part = part == 1 ? 0 : 1) {
                    plan.tile_channels = part * lanes_.count;
                    add_lines(plan);
                }
            }
        }
    }

    /// Tries different lengths of the line, each with the largest fitting part of the reduced axis.
    void add_lines(ReductionPlan& plan) {
        const std::int64_t line = plan.blocks.front().line.extent;
        std::size_t fitting = 0;
        for (std::int64_t length = line; length > 0 && fitting < kTriedLines;
             length = length == 1 ? 0 : isa::div_up(length, 2)) {
            plan.tile_line = length;
            std::int64_t count = space_.extent;
            while (count > 1 && !fits(plan, count)) count = isa::div_up(count, 2);
            if (!fits(plan, count)) continue;
            ++fitting;
            for (const std::int64_t each : {count, isa::div_up(count, 2)}) {
                if (!fits(plan, each)) continue;
                plans_.push_back(plan);
                if (each == 1) break;
            }
        }
    }

    /// Allocates the planes. Returns false if they do not fit.
    bool fits(ReductionPlan& plan, std::int64_t count) const {
        if (count * plan.tile_line > isa::kMostExtent) return false;
        if (plan.by_window && std::max(count, plan.tile_line) > isa::kMostWindowExtent) {
            return false;
        }
        plan.lanes = lanes_;
        plan.count = count;
        plan.buffers = plan.steps(space_) == 1 ? 1 : 2;
        const std::int32_t c = narrow(plan.tile_channels);
        const std::int32_t line = narrow(plan.tile_line), along = narrow(count);
        const dim4 step = plan.along_w ? dim4{1, c, line, along} : dim4{1, c, along, line};
        const dim4 result{1, c, 1, line};
        const std::int64_t parts = combiner_.parts();
        LocalPlacement place(lanes_);
        plan.in = place.take(place.packed(space_.in.type, step), plan.buffers);
        plan.out = place.take(place.packed(space_.out.type, result), plan.buffers);
        const bool words = needs_words(space_.in.type, space_.in.form);
        plan.words = place.take(place.plane(step), words ? 1 : 0);
        // The last part of ordered combinations is the index, which only results have.
        plan.further = place.take(place.plane(step), parts - (combiner_.ordered() ? 2 : 1));
        plan.in_place = count >= space_.extent && parts == 1 && !combiner_.checks() &&
                        !needs_words(space_.out.type, space_.out.form);
        plan.accumulator = place.take(place.plane(result), plan.in_place ? 0 : parts);
        plan.incoming = place.take(place.plane(result), count < space_.extent ? parts : 0);
        if (combiner_.ordered()) {
            plan.indices = place.take(place.plane({1, lanes_.count, 1, along}), 1);
            plan.fold = place.take(place.plane(step), 1);
        }
        plan.violations = place.take(place.plane(result), combiner_.checks() ? 1 : 0);
        const std::int64_t scratch =
            std::max(place.plane(step) *
                         std::max(combiner_.planes(), widen_planes(space_.in.type, space_.in.form)),
                     place.plane(result) * narrow_planes(space_.out.type, space_.out.form));
        plan.scratch = static_cast<local_addr_t>(place.next());
        plan.scratch_bytes = static_cast<std::uint32_t>(scratch);
        return place.next() + scratch <= local_bytes_;
    }

    const Combiner& combiner_;
    const ReductionSpace& space_;
    Lanes lanes_;
    std::int64_t local_bytes_;
    std::vector<ReductionPlan> plans_;
};

}  // namespace

std::vector<ReductionPlan> reduction_candidates(const Combiner& combiner,
                                                const ReductionSpace& space,
                                                const isa::MachineShape& machine) {
    return ReductionPlanner(combiner, space, machine).candidates();
}

ReductionPlan plan_reduction(const Combiner& combiner, const ReductionSpace& space, Host& host) {
    return fastest_plan(reduction_candidates(combiner, space, host.machine()), host,
                        [&](const ReductionPlan& plan) -> SteppedFirmware {
                            return {plan.steps(space), plan.volume(space), [&](std::int64_t most) {
                                        run_reduction_steps(combiner, space, plan, most);
                                    }};
                        });
}

}  // namespace okksim::kernels
