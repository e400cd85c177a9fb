// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/reorder_need.h"

#include <algorithm>

#include "kernels/moves/move_plan.h"

namespace okksim::sim::bound {

using models::Picoseconds;

std::vector<LeastWork> reorder_works(const graph::TensorShape& shape, Reorder reorder,
                                     pricing::MachineHost& host) {
    const std::int64_t h = shape[1], w = shape[2], c = shape[3];
    const kernels::NdStrides row_major{h * w * c, w * c, c, 1};
    const kernels::NdStrides channel_first{h * w * c, w, 1, h * w};
    const bool leaves = reorder == Reorder::kChannelFirst;
    // The start of memory has the best possible alignment.
    const std::uint64_t place = host.machine().global().start;
    const kernels::StridedRegion from{place, leaves ? row_major : channel_first};
    const kernels::StridedRegion to{place, leaves ? channel_first : row_major};
    const std::vector<std::int32_t> dims(shape.begin(), shape.end());
    constexpr int kElementBytes = 4;
    LeastPrices prices(host);
    std::vector<LeastWork> works;
    for (const kernels::MovePlan& plan :
         kernels::move_candidates(from, to, dims, kElementBytes, host)) {
        works.push_back(prices.of([&] { kernels::run_move(plan, place, place); }));
    }
    return works;
}

Picoseconds reorder_time(const graph::TensorShape& shape, Reorder reorder,
                         pricing::MachineHost& host) {
    const std::vector<LeastWork> works = reorder_works(shape, reorder, host);
    if (works.empty()) return {};
    return std::ranges::min_element(works, {}, &LeastWork::time)->time();
}

}  // namespace okksim::sim::bound
