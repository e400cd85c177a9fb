// SPDX-License-Identifier: Apache-2.0
// Choice of the way to copy elements between regions of system memory.
#include "kernels/moves/move_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "isa/base/errors.h"
#include "kernels/moves/lane_move.h"
#include "kernels/moves/place_classes.h"
#include "kernels/prim/lanes.h"

namespace okksim::kernels {
namespace {

/// Time of commands that wait for each other: the engines alternate, the control processor is
/// ahead.
Duration serial_time(const Work& work) {
    Duration engines{};
    for (const Duration& engine : work.engines) engines += engine;
    return std::max(work.processor, engines);
}

Work repeated(Work work, std::int64_t times) {
    work.processor *= times;
    for (Duration& engine : work.engines) engine *= times;
    work.commands *= times;
    return work;
}

/// Prices moves between two addresses.
class MovePrices {
 public:
    MovePrices(std::uint64_t from, std::uint64_t to, int element_bytes, Host& host)
        : from_(from), to_(to), bytes_(element_bytes), host_(host) {}

    /// Cost of a step in all tiles of a part. The alignment of addresses in system memory
    /// determines the cost of a command, so each different alignment is priced once.
    Work step(MoveStep step, const MovePart& part) const {
        const bool loads = step.kind == MoveKind::kLoad;
        if (!loads && step.kind != MoveKind::kStore) {
            const std::int64_t points = point_count(step.command.loops) * point_count(part.tiles);
            step.command.loops.clear();
            return repeated(work(step, part.from, part.to), points);
        }
        std::vector<std::int64_t> extents;
        std::vector<std::int64_t> strides;
        for (const auto* loops : {&std::as_const(step.command.loops), &part.tiles}) {
            for (const CommandLoop& loop : *loops) {
                extents.push_back(loop.extent);
                strides.push_back(loads ? loop.from : loop.to);
            }
        }
        step.command.loops.clear();
        const std::uint64_t first = loads ? advanced(from_, part.from + step.command.first_from)
                                          : advanced(to_, part.to + step.command.first_to);
        Work sum;
        for (const PlaceClass& each :
             place_classes(first, bytes_, host_.alignment_bytes(), extents, strides)) {
            sum += repeated(work(step, part.from + (loads ? each.element : 0),
                                 part.to + (loads ? 0 : each.element)),
                            each.points);
        }
        return sum;
    }
    Work plan(const MovePlan& plan) const {
        Work sum;
        for (const MovePart& part : plan.parts) {
            for (const MoveStep& each : part.steps) sum += step(each, part);
        }
        return sum;
    }

    /// The plan's time, if it is at most `limit`. Long parts are simulated for some tiles only. The
    /// result is scaled by the ratio of the prices.
    std::optional<Duration> time(const MovePlan& plan, Duration limit) const {
        MovePlan some = plan;
        bool shortened = false;
        for (MovePart& each : some.parts) shortened = shorten(each) || shortened;
        const auto time = host_.time_within(limit, [&] { run_move(some, from_, to_); });
        if (!time || !shortened) return time;
        const Duration idle = host_.time([] {});
        const double share = static_cast<double>(serial_time(this->plan(plan)).count()) /
                             static_cast<double>(serial_time(this->plan(some)).count());
        const auto busy = static_cast<double>((*time - idle).count());
        return idle + Duration(std::llround(busy * share));
    }

 private:
    /// Removes tiles of a part that issues many commands. Returns true if it did.
    static bool shorten(MovePart& part) {
        constexpr std::int64_t kMostCommands = 400;
        std::int64_t commands = 0;
        for (const MoveStep& step : part.steps) commands += point_count(step.command.loops);
        std::int64_t left = std::max<std::int64_t>(1, kMostCommands / commands);
        bool shortened = false;
        for (CommandLoop& loop : part.tiles) {
            shortened = shortened || loop.extent > left;
            loop.extent = std::min(loop.extent, left);
            left /= loop.extent;
        }
        return shortened;
    }
    /// Work of a step for the tile at these element offsets.
    Work work(const MoveStep& step, std::int64_t from, std::int64_t to) const {
        return host_.work(
            [&] { run_step(step, bytes_, advanced(from_, from), advanced(to_, to)); });
    }
    std::uint64_t advanced(std::uint64_t address, std::int64_t elements) const {
        return address + static_cast<std::uint64_t>(elements * bytes_);
    }

    std::uint64_t from_;
    std::uint64_t to_;
    int bytes_;
    Host& host_;
};

class MovePlanner {
 public:
    MovePlanner(const MovePrices& prices, const LaneMoveMachine& machine, bool transposes)
        : prices_(prices), machine_(machine), transposes_(transposes) {}

    /// `splits`: axes may be cut for the lanes.
    std::vector<MovePlan> candidates(const std::vector<NdAxis>& axes, bool splits) const {
        std::vector<MovePlan> plans{plan_copy(axes, machine_.element_bytes)};
        // The way through the lanes needs at least two commands.
        const Work copy = prices_.plan(plans.front());
        if (serial_time(copy) <= copy.processor / copy.commands * 2) return plans;
        if (transposes_) plans.push_back(plan_transpose(axes, machine_.element_bytes));
        for (const LaneMove& move : lane_moves(axes, machine_, splits)) {
            plans.push_back(plan_of(move));
            if (!move.rest) continue;
            MovePlan rest = plan_rest(axes, *move.rest);
            std::move(rest.parts.begin(), rest.parts.end(), std::back_inserter(plans.back().parts));
        }
        return plans;
    }
    MovePlan fastest(const std::vector<NdAxis>& axes, bool splits) const {
        std::vector<MovePlan> plans = candidates(axes, splits);
        if (plans.size() == 1) return std::move(plans.front());
        std::vector<std::pair<Duration, MovePlan*>> by_price;
        for (MovePlan& plan : plans) by_price.emplace_back(serial_time(prices_.plan(plan)), &plan);
        std::stable_sort(by_price.begin(), by_price.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        MovePlan* best = nullptr;
        Duration least = Duration::max();
        for (const auto& [price, plan] : by_price) {
            if (price >= least) break;
            const std::optional<Duration> time = prices_.time(*plan, least);
            if (!time || *time >= least) continue;
            least = *time;
            best = plan;
        }
        return std::move(*best);
    }

 private:
    MovePlan plan_of(const LaneMove& move) const {
        MovePlan plan{machine_.element_bytes, {}};
        for (LaneMoveBox& box : boxes_of(move)) {
            MovePart part{box.to, box.from, box.tiles, {}};
            part.steps.push_back(cheapest(MoveKind::kLoad, loads_of(move, box), part));
            if (move.turns) part.steps.push_back({MoveKind::kTurn, turn_of(move, box, machine_)});
            part.steps.push_back(cheapest(MoveKind::kStore, stores_of(move, box, machine_), part));
            plan.parts.push_back(std::move(part));
        }
        return plan;
    }

    /// Returns the assignment of a tile's dimensions to commands that costs least over all tiles.
    MoveStep cheapest(MoveKind kind, std::vector<RepeatedCommand> ways,
                      const MovePart& part) const {
        MoveStep best{kind, std::move(ways.front())};
        if (ways.size() == 1) return best;
        Duration least = serial_time(prices_.step(best, part));
        for (std::size_t i = 1; i < ways.size(); ++i) {
            MoveStep step{kind, std::move(ways[i])};
            const Duration time = serial_time(prices_.step(step, part));
            if (time >= least) continue;
            least = time;
            best = std::move(step);
        }
        return best;
    }

    MovePlan plan_rest(const std::vector<NdAxis>& axes, const LaneMoveRest& rest) const {
        std::vector<NdAxis> left = axes;
        NdAxis& axis = left[rest.axis];
        axis.extent -= rest.covered;
        MovePlan plan = fastest(merged_axes(std::move(left), 2), false);
        for (MovePart& part : plan.parts) {
            part.to += rest.covered * axes[rest.axis].strides[kDestination];
            part.from += rest.covered * axes[rest.axis].strides[kSource];
        }
        return plan;
    }

    const MovePrices& prices_;
    const LaneMoveMachine& machine_;
    bool transposes_;  ///< the machine has commands that take any strides
};

}  // namespace

MovePlan MovePlan::shifted(std::int64_t from_bytes, std::int64_t to_bytes) const {
    OKKSIM_CHECK(from_bytes % element_bytes == 0 && to_bytes % element_bytes == 0);
    MovePlan plan = *this;
    for (MovePart& part : plan.parts) {
        part.from += from_bytes / element_bytes;
        part.to += to_bytes / element_bytes;
    }
    return plan;
}

namespace {

/// Calls `ask` with a planner for a space and its axes.
template <typename Ask>
auto ask_planner(const StridedRegion& from, const StridedRegion& to,
                 std::span<const std::int32_t> dims, int element_bytes, Host& host,
                 const Ask& ask) {
    const std::array<NdStrides, 2> operands{from.strides, to.strides};
    std::vector<NdAxis> axes = merged_axes(dims, operands);
    if (element_bytes == 8) {
        axes = halves(std::move(axes), operands.size());
        element_bytes = 4;
    }
    const LaneMoveMachine machine{host.machine().lanes, host.machine().local_bytes, element_bytes};
    const MovePrices prices(from.address, to.address, element_bytes, host);
    const bool transposes = lanes_of(host.machine()).has(isa::Feature::kDmaLayout);
    return ask(MovePlanner(prices, machine, transposes), axes);
}

}  // namespace

MovePlan plan_move(const StridedRegion& from, const StridedRegion& to,
                   std::span<const std::int32_t> dims, int element_bytes, Host& host) {
    return ask_planner(from, to, dims, element_bytes, host,
                       [](const MovePlanner& planner, const std::vector<NdAxis>& axes) {
                           return planner.fastest(axes, true);
                       });
}

std::vector<MovePlan> move_candidates(const StridedRegion& from, const StridedRegion& to,
                                      std::span<const std::int32_t> dims, int element_bytes,
                                      Host& host) {
    return ask_planner(from, to, dims, element_bytes, host,
                       [](const MovePlanner& planner, const std::vector<NdAxis>& axes) {
                           return planner.candidates(axes, true);
                       });
}

MovePlan plan_move(const DeviceTensor& from, const DeviceTensor& to, Host& host) {
    OKKSIM_CHECK(from.type == to.type && from.rank == to.rank);
    if (from.address == to.address && from.strides == to.strides) return {};
    return plan_move({from.address, from.strides}, {to.address, to.strides},
                     std::span(to.dims).first(static_cast<std::size_t>(to.rank)),
                     stored_bytes(to.type), host);
}

Duration move_time(const MovePlan& plan, std::uint64_t from, std::uint64_t to, Host& host) {
    return serial_time(MovePrices(from, to, plan.element_bytes, host).plan(plan));
}

Duration fill_time(const FillPlan& plan, std::uint64_t to, Host& host) {
    return serial_time(host.work([&] { run_fill(plan, to, 0); }));
}

}  // namespace okksim::kernels
