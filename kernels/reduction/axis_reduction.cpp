// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/axis_reduction.h"

#include <algorithm>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "kernels/planning/fastest.h"
#include "kernels/reduction/reduction_planner.h"
#include "kernels/reduction/reduction_run.h"

namespace okksim::kernels {
namespace {

/// Words of partial results: fp32, or int32 for integers and bool.
tosa::DType partial_type(const ReductionEnd& input) {
    const bool is_float = input.form == WordForm::kFloat || tosa::is_floating_point(input.type);
    return is_float ? tosa::DType::kFp32 : tosa::DType::kI32;
}

/// Splits a reduction: `pieces` pieces of the axis to partial results at `memory`, then the
/// partials.
std::vector<ReductionSpace> spaces_of(const ReductionSpace& space, std::int64_t pieces,
                                      std::uint64_t memory) {
    const std::int64_t length = space.extent / pieces;
    const std::int64_t rest = space.extent - pieces * length;
    const std::int64_t partials = pieces + (rest > 0 ? 1 : 0);
    ReductionSpace first = space;
    first.out.address = memory;
    first.out.type = partial_type(space.in);
    first.out.form = WordForm::kValue;
    ReductionSpace second = space;
    second.in = first.out;
    std::int64_t place = partials;
    for (std::size_t i = 0; i < space.axes.size(); ++i) {
        first.axes[i].strides[kReductionOut] = place;
        second.axes[i].strides[kReductionIn] = place;
        place *= space.axes[i].extent;
    }
    second.extent = partials;
    second.stride = 1;
    ReductionSpace tail = first;
    NdAxis piece;
    piece.extent = pieces;
    piece.strides[kReductionOut] = 1;
    piece.strides[kReductionIn] = length * space.stride;
    first.axes.push_back(piece);
    first.extent = length;
    std::vector<ReductionSpace> spaces{std::move(first)};
    if (rest > 0) {
        tail.in.address += static_cast<std::uint64_t>(pieces * length * space.stride *
                                                      stored_bytes(space.in.type));
        tail.out.address += static_cast<std::uint64_t>(4 * pieces);
        tail.extent = rest;
        spaces.push_back(std::move(tail));
    }
    spaces.push_back(std::move(second));
    return spaces;
}

/// Numbers of pieces for which a second reduction may be faster.
std::vector<std::int64_t> piece_counts(const Combiner& combiner, const ReductionSpace& space,
                                       const isa::MachineShape& machine) {
    const std::int64_t lanes = machine.lanes, outputs = space.outputs();
    std::vector<std::int64_t> counts;
    if (!combiner.repeats() || 2 * outputs > lanes) return counts;
    for (const std::int64_t pieces : {lanes / outputs, lanes, 4 * lanes}) {
        const bool is_new = counts.empty() || pieces > counts.back();
        const auto bytes = static_cast<std::uint64_t>(outputs * (pieces + 1) * isa::kWordBytes);
        if (is_new && space.extent >= 2 * pieces && bytes <= machine.l2_bytes) {
            counts.push_back(pieces);
        }
    }
    return counts;
}

bool run_whole(const Combiner& combiner, const ReductionSpace& space, const ReductionPlan& plan) {
    return run_reduction(combiner.of_terms(space.extent), space, plan);
}

}  // namespace

ReductionSpace reduction_space(const ReductionEnd& input, const ReductionEnd& output,
                               std::span<const std::int32_t> dims, int axis) {
    std::vector<std::int32_t> others(dims.begin(), dims.end());
    others[static_cast<std::size_t>(axis)] = 1;
    const std::array<NdStrides, 2> operands{output.strides, input.strides};
    ReductionSpace space;
    space.in = input;
    space.out = output;
    space.axes = merged_axes(others, operands);
    space.extent = dims[static_cast<std::size_t>(axis)];
    space.stride = input.strides[static_cast<std::size_t>(axis)];
    if (space.extent == 1) space.stride = 1;
    return space;
}

std::vector<ReductionRoute> route_candidates(const Combiner& combiner, const ReductionSpace& space,
                                             Host& host) {
    const isa::MachineShape& machine = host.machine();
    ReductionRoute at_once;
    at_once.whole = plan_reduction(combiner.of_terms(space.extent), space, host);
    std::vector<ReductionRoute> routes;
    for (const std::int64_t pieces : piece_counts(combiner, space, machine)) {
        ReductionRoute route{pieces, {}, std::nullopt, std::nullopt};
        // Partial sums may leave the range of their words although the whole sum does not.
        if (combiner.checks()) route.whole = at_once.whole;
        for (const ReductionSpace& part : spaces_of(space, pieces, machine.l2_start)) {
            route.parts.push_back(plan_reduction(combiner.of_terms(part.extent), part, host));
        }
        routes.push_back(std::move(route));
    }
    routes.push_back(std::move(at_once));
    if (auto windows = plan_window_tiles(combiner, maps_of(combiner, space, lanes_of(machine)),
                                         {space.out.address, space.in.address}, host)) {
        routes.push_back({0, {}, std::nullopt, *windows});
    }
    return routes;
}

ReductionRoute plan_route(const Combiner& combiner, const ReductionSpace& space, Host& host) {
    std::vector<ReductionRoute> routes = route_candidates(combiner, space, host);
    ReductionRoute* best = &routes.front();
    if (routes.size() == 1) return std::move(*best);
    Duration least = Duration::max();
    for (ReductionRoute& route : routes) {
        const auto time =
            host.time_within(least, [&] { static_cast<void>(run_route(combiner, space, route)); });
        if (!time || *time >= least) continue;
        least = *time;
        best = &route;
    }
    return std::move(*best);
}

bool run_route(const Combiner& combiner, const ReductionSpace& space, const ReductionRoute& route) {
    if (route.windows) {
        run_window_tiles(combiner, *route.windows, {space.out.address, space.in.address});
        return false;
    }
    if (route.pieces == 0) return run_whole(combiner, space, *route.whole);
    const std::vector<ReductionSpace> spaces =
        spaces_of(space, route.pieces, okk_l2_sram_start_addr());
    OKKSIM_CHECK(spaces.size() == route.parts.size());
    bool violated = false;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        violated |= run_whole(combiner, spaces[i], route.parts[i]);
    }
    return violated && run_whole(combiner, space, *route.whole);
}

bool reduce_axis(const OperatorCall& call, const Combiner& combiner,
                 const AxisReduction& reduction) {
    const ReductionRoute& route = call.decisions->take(
        "route", [&](Host& host) { return plan_route(combiner, reduction.space(), host); });
    if (!route.windows) return run_route(combiner, reduction.space(), route);
    // The tiles of windows contain all strides.
    run_window_tiles(combiner, *route.windows, {reduction.output.address, reduction.input.address});
    return false;
}

}  // namespace okksim::kernels
