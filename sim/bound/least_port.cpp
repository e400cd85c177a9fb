// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/least_port.h"

#include <algorithm>
#include <utility>

#include "firmware/calls/trusted_arguments.h"
#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "models/gdma/gdma_params.h"
#include "models/gdma/gdma_timing.h"

namespace okksim::sim::bound {

using models::Clock;
using models::Picoseconds;

LeastPort::LeastPort(pricing::MachineHost& host) : host_(host), times_(host.params()) {}

void LeastPort::submit(const isa::Command& command) {
    const isa::Engine engine = command.info().engine;
    work_.engines[static_cast<std::size_t>(engine)] +=
        engine == isa::Engine::kGdma ? of_mover(command) : of_engine(command);
    ++work_.commands;
}

LeastWork LeastPort::take() { return std::exchange(work_, {}); }

Picoseconds LeastPort::of_engine(const isa::Command& command) const {
    const models::BdcParams& params = *host_.params().bdc;
    const models::BdcCost cost = models::bdc_cost(command, host_.machine(), params);
    return Clock(params.clock_mhz).duration(cost.startup + cost.execute);
}

Picoseconds LeastPort::of_mover(const isa::Command& command) const {
    const models::GdmaParams& params = *host_.params().gdma;
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

LeastPrices::LeastPrices(pricing::MachineHost& host)
    : port_(host), context_(port_, host.options()) {}

LeastWork LeastPrices::of(const kernels::Firmware& firmware) {
    context_.begin_launch();
    const firmware::Context::Binding binding(context_);
    const firmware::TrustedArguments trusted;
    firmware();
    return port_.take();
}

}  // namespace okksim::sim::bound
