// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/reorder_need.h"

#include <algorithm>
#include <optional>

#include "kernels/moves/move_plan.h"
#include "models/bdc/bdc_timing.h"
#include "models/gdma/gdma_timing.h"
#include "sim/bound/engine_need.h"
#include "sim/pricing/plan_call.h"

namespace okksim::sim::bound {
namespace {

using models::Clock;
using models::Picoseconds;

/// Adds up what commands take at least.
class LeastPort : public pricing::TimingPort {
 public:
    explicit LeastPort(pricing::MachineHost& host)
        : TimingPort(host.params(), host.memory()), host_(host), times_(host.params()) {}

    void submit(const isa::Command& command) override {
        const bool moves = command.info().engine == isa::Engine::kGdma;
        time_ += moves ? of_mover(command) : of_engine(command);
    }
    Picoseconds time() const { return time_; }

 private:
    Picoseconds of_engine(const isa::Command& command) const {
        const models::BdcParams& params = host_.params().bdc;
        const models::BdcCost cost = models::bdc_cost(command, host_.machine(), params);
        return Clock(params.clock_mhz).duration(cost.startup + cost.execute);
    }
    Picoseconds of_mover(const isa::Command& command) const {
        const models::GdmaParams& params = host_.params().gdma;
        const models::GdmaCost cost = models::gdma_cost(command, host_.machine(), params);
        const Clock clock(params.clock_mhz);
        Picoseconds memory{};
        using models::MemoryDirection;
        if (cost.read) memory = times_.request(*cost.read, MemoryDirection::kRead);
        if (cost.write) {
            memory = std::max(memory, times_.request(*cost.write, MemoryDirection::kWrite));
        }
        return clock.duration(cost.setup) +
               std::max(clock.duration(cost.port), memory + clock.duration(cost.overhead));
    }

    pricing::MachineHost& host_;
    EngineTimes times_;
    Picoseconds time_;
};

}  // namespace

Picoseconds reorder_time(const graph::TensorShape& shape, Reorder reorder,
                         pricing::MachineHost& host) {
    const std::int64_t h = shape[1], w = shape[2], c = shape[3];
    const kernels::NdStrides row_major{h * w * c, w * c, c, 1};
    const kernels::NdStrides channel_first{h * w * c, w, 1, h * w};
    const bool leaves = reorder == Reorder::kChannelFirst;
    // Whatever memory begins with is as aligned as a place can be.
    const std::uint64_t place = host.machine().global().start;
    const kernels::StridedRegion from{place, leaves ? row_major : channel_first};
    const kernels::StridedRegion to{place, leaves ? channel_first : row_major};
    const std::vector<std::int32_t> dims(shape.begin(), shape.end());
    constexpr int kElementBytes = 4;
    std::optional<Picoseconds> least;
    for (const kernels::MovePlan& plan :
         kernels::move_candidates(from, to, dims, kElementBytes, host)) {
        LeastPort port(host);
        pricing::run_firmware(host, port, [&] { kernels::run_move(plan, place, place); });
        if (!least || port.time() < *least) least = port.time();
    }
    return least.value_or(Picoseconds{});
}

}  // namespace okksim::sim::bound
