// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/reduction/reduction_plan.h"
#include "kernels/reduction/window_tiles.h"

namespace okksim::kernels {

/// Way to reduce an axis: at once, by windows if they are faster, or in two steps. The latter
/// reduces `pieces` pieces to partial results in L2-SRAM and then these, so that few outputs keep
/// all lanes busy.
struct ReductionRoute {
    std::int64_t pieces = 0;           ///< 0: at once
    std::vector<ReductionPlan> parts;  ///< of the pieces, of the remainder, of the results
    std::optional<ReductionPlan> whole;
    std::optional<WindowTiles> windows = std::nullopt;  ///< replaces the other members

    std::uint64_t argument_words() const {
        return 2 + kernels::argument_words(parts) + (whole ? whole->argument_words() : 0) +
               (windows ? windows->argument_words() : 0);
    }
};

/// Planner: the fastest route.
ReductionRoute plan_route(const Combiner& combiner, const ReductionSpace& space, Host& host);
/// All routes that plan_route() chooses from, each with its fastest plans.
std::vector<ReductionRoute> route_candidates(const Combiner& combiner, const ReductionSpace& space,
                                             Host& host);
/// Firmware. Returns true if the combiner checks and found a violation.
bool run_route(const Combiner& combiner, const ReductionSpace& space, const ReductionRoute& route);

/// Combines the input along dimension `axis` of `dims`; the output has extent 1 there.
ReductionSpace reduction_space(const ReductionEnd& input, const ReductionEnd& output,
                               std::span<const std::int32_t> dims, int axis);
/// Arguments of reduction_space() for a kernel's reduction.
struct AxisReduction {
    ReductionEnd input, output;
    std::span<const std::int32_t> dims;
    int axis = 0;

    ReductionSpace space() const { return reduction_space(input, output, dims, axis); }
};
/// Both halves of a kernel: decision "route". True if the combiner checks and found a violation.
bool reduce_axis(const OperatorCall& call, const Combiner& combiner,
                 const AxisReduction& reduction);

}  // namespace okksim::kernels
