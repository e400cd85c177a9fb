// SPDX-License-Identifier: Apache-2.0
// Planner of Fourier transforms.
#include <algorithm>

#include "isa/base/errors.h"
#include "isa/limits.h"
#include "kernels/fourier/fourier_lanes.h"
#include "kernels/fourier/fourier_pass.h"
#include "kernels/planning/fastest.h"
#include "kernels/planning/too_small.h"

namespace okksim::kernels {
namespace {

using isa::narrow;

/// Allocates a plan's planes. Returns the bytes that it needs in every lane.
std::int64_t place(const Transform& transform, const Lanes& lanes, LanePlan& plan) {
    const std::int32_t length = transform.size.length;
    plan.buffers = plan.tiles(transform.size) == 1 ? 1 : 2;
    LocalPlacement place(lanes);
    plan.lanes = lanes;
    const std::int64_t plane = place.plane({1, narrow(plan.channels), length, plan.width});
    const std::int64_t parts = 2 * plan.buffers;
    plan.in = place.take(plane, parts);
    plan.out = place.take(plane, parts);
    plan.factors = place.take(plane, transform.factors ? parts : 0);
    plan.difference = place.take(plane, 2);
    plan.roots = place.take(place.plane({1, lanes.count, 1, std::max(length / 2, 1)}), 2);
    return place.next();
}

LanePlan fastest_in_lanes(const Transform& transform, std::vector<LanePlan> plans, Host& host) {
    return fastest_plan(std::move(plans), host, [&](const LanePlan& plan) -> SteppedFirmware {
        return {plan.tiles(transform.size), plan.volume(transform.size),
                [&](std::int64_t most) { run_in_lanes(transform, plan, most); }};
    });
}

/// Promising numbers of columns for two passes; all of them if there is no other way.
std::vector<std::int32_t> column_counts(const Transform& transform, bool fits_lanes,
                                        const isa::MachineShape& machine) {
    const FourierSize& size = transform.size;
    std::vector<std::int32_t> counts;
    const bool leaves_lanes_idle =
        2 * std::int64_t{size.batches} * size.lines <= machine.lanes && size.length >= 16;
    if (fits_lanes && !leaves_lanes_idle) return counts;
    // The matrix is in L2-SRAM.
    if (2 * transform.roots.part_bytes() > machine.l2_bytes) return counts;
    for (std::int32_t columns = 4; columns <= size.length / 4; columns *= 2) {
        counts.push_back(columns);
    }
    return counts;
}

}  // namespace

std::int64_t LanePlan::tiles(const FourierSize& size) const {
    if (over_batches) return isa::div_up(size.batches, channels);
    const std::int64_t groups = size.lines / width;
    const std::int64_t rest = size.lines % width > 0 ? 1 : 0;
    return size.batches * (isa::div_up(groups, channels) + rest);
}

double LanePlan::volume(const FourierSize& size) const {
    const std::int64_t groups = over_batches ? size.batches : size.lines / width;
    return static_cast<double>(size.batches) * size.lines /
           static_cast<double>(width * std::min(channels, groups));
}

std::vector<LanePlan> lane_candidates(const Transform& transform,
                                      const isa::MachineShape& machine) {
    const FourierSize& size = transform.size;
    const Lanes lanes = lanes_of(machine);
    const bool over_batches = size.lines == 1;
    // Adjacent lines in memory are loaded side by side; otherwise a lane takes one line at a time.
    const bool beside = !over_batches && transform.from.line_stride == 1;
    const std::int64_t widest = beside ? lanes.slots(size.lines) : 1;
    std::vector<LanePlan> plans;
    for (std::int64_t width = widest; width > 0; width = width == 1 ? 0 : isa::div_up(width, 2)) {
        const std::int64_t groups = over_batches ? size.batches : size.lines / width;
        for (std::int64_t slots = 1;; slots *= 2) {
            LanePlan plan;
            plan.over_batches = over_batches;
            plan.width = narrow(width);
            plan.channels = slots * lanes.count;
            if (slots > 1 && plan.channels > isa::kMostChannels) break;
            if (size.length * width > isa::kMostExtent) break;
            if (place(transform, lanes, plan) > machine.local_bytes) break;
            plans.push_back(plan);
            if (plan.channels >= groups) break;
        }
    }
    return plans;
}

std::vector<TransformPlan> transform_candidates(const Transform& transform, Host& host) {
    const isa::MachineShape& machine = host.machine();
    std::vector<TransformPlan> plans;
    std::vector<LanePlan> in_lanes = lane_candidates(transform, machine);
    const bool fits_lanes = !in_lanes.empty();
    if (fits_lanes) {
        plans.push_back({0, {fastest_in_lanes(transform, std::move(in_lanes), host)}});
    }
    for (const std::int32_t columns : column_counts(transform, fits_lanes, machine)) {
        TransformPlan plan{columns, {}};
        const std::vector<Transform> parts = two_passes(transform, columns, 0, 0, machine.l2_start);
        for (const Transform& part : parts) {
            std::vector<LanePlan> ways = lane_candidates(part, machine);
            if (ways.empty()) break;
            plan.lanes.push_back(fastest_in_lanes(part, std::move(ways), host));
        }
        if (plan.lanes.size() == parts.size()) plans.push_back(std::move(plan));
    }
    if (plans.empty()) throw_too_small("Fourier transform", machine.local_bytes);
    return plans;
}

TransformPlan plan_transform(const Transform& transform, Host& host) {
    std::vector<TransformPlan> plans = transform_candidates(transform, host);
    if (plans.size() == 1) return std::move(plans.front());
    // Two passes process each line separately.
    Transform one = transform;
    if (plans.front().columns != 0) one.size.batches = one.size.lines = 1;
    const TransformPlan* best = nullptr;
    Duration least = Duration::max();
    for (const TransformPlan& plan : plans) {
        const auto time = host.time_within(least, [&] { run_transform(one, plan); });
        if (!time || (best != nullptr && *time >= least)) continue;
        least = *time;
        best = &plan;
    }
    return *best;
}

}  // namespace okksim::kernels
