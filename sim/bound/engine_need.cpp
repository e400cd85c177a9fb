// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/engine_need.h"

#include <algorithm>

#include "isa/features.h"
#include "isa/layout.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "models/dram/dram_params.h"
#include "models/gdma/gdma_params.h"
#include "models/mcu/mcu_params.h"
#include "models/mcu/mcu_timing.h"
#include "sim/bound/own_work.h"

namespace okksim::sim::bound {

using kernels::OwnWork;
using models::Clock;
using models::Cycles;
using models::MemoryDirection;
using models::Picoseconds;

namespace {

/// Upper bound of the rounding error of one command's time.
constexpr Picoseconds kRounding{1};

Picoseconds less_rounding(Picoseconds time, std::int64_t commands) {
    return std::max(Picoseconds{}, time - Picoseconds{commands * kRounding.value});
}

Picoseconds latency(double nanoseconds, std::int64_t requests) {
    return {models::from_nanoseconds(nanoseconds).value * requests};
}

/// Returns the highest rate in bytes per cycle at which the GDMA can access global memory.
double widest_port(const models::MachineParams& machine) {
    const isa::MachineShape shape = machine.shape();
    const models::GdmaParams& gdma = *machine.gdma;
    double rate = std::min(gdma.local_bytes_per_cycle, gdma.system_bytes_per_cycle);
    if (isa::has_feature(shape, isa::Feature::kDmaIndex)) {
        rate = std::max(rate, gdma.system_bytes_per_cycle);
    }
    if (isa::has_feature(shape, isa::Feature::kDmaLayout)) {
        rate = std::max(rate, gdma.transpose_bytes_per_cycle);
    }
    return rate;
}

/// Returns the cycles that the control processor needs for `instructions` of firmware.
std::int64_t own_cycles(std::uint64_t instructions, const models::McuParams& mcu) {
    return models::compute_cycles({{}, isa::ComputeKind::kInteger, instructions}, mcu).value;
}

}  // namespace

Picoseconds EngineTimes::compute(const ComputeNeed& need) const {
    const models::BdcParams& bdc = *machine_.bdc;
    const Picoseconds all =
        Clock(bdc.clock_mhz).duration({need.cycles + need.commands * bdc.startup_cycles});
    return less_rounding({all.value / machine_.chip->compute_engines}, need.commands);
}

Picoseconds EngineTimes::stream(std::uint64_t bytes, MemoryDirection direction) const {
    if (bytes == 0) return {};
    const models::MemoryRequest request{.runs = 1, .run_bytes = bytes, .pitch_bytes = bytes};
    const auto share = bytes / static_cast<std::uint64_t>(machine_.dram->channels);
    return models::channel_service(request, share, direction, *machine_.dram).stream;
}

Picoseconds EngineTimes::traffic(const TrafficNeed& need) const {
    const Clock clock(machine_.gdma->clock_mhz);
    const Picoseconds memory = stream(need.read, MemoryDirection::kRead) +
                               stream(need.written, MemoryDirection::kWrite) +
                               latency(machine_.dram->read_latency_nanoseconds, need.loads) +
                               latency(machine_.dram->write_latency_nanoseconds, need.stores);
    const double cycles = static_cast<double>(need.read + need.written) / widest_port(machine_);
    const Picoseconds port = clock.duration({static_cast<std::int64_t>(cycles)});
    const Picoseconds setup =
        clock.duration({(need.loads + need.stores) * machine_.gdma->setup_cycles});
    return less_rounding(setup + std::max(memory + need.more, port), need.commands());
}

Picoseconds EngineTimes::command(MemoryDirection direction) const {
    return direction == MemoryDirection::kRead ? traffic({.loads = 1}) : traffic({.stores = 1});
}

Picoseconds EngineTimes::rows(const TrafficNeed& value) const {
    const std::uint64_t bytes = value.read + value.written;
    if (value.commands() != 1 || bytes == 0) return {};
    const auto direction = value.read > 0 ? MemoryDirection::kRead : MemoryDirection::kWrite;
    const models::MemoryRequest request{.runs = 1, .run_bytes = bytes, .pitch_bytes = bytes};
    const auto share = bytes / static_cast<std::uint64_t>(machine_.dram->channels);
    const Picoseconds rows =
        models::channel_service(request, share, direction, *machine_.dram).rows;
    return std::min(rows, command(direction));
}

Picoseconds EngineTimes::request(const models::MemoryRequest& request,
                                 MemoryDirection direction) const {
    const models::DramParams& dram = *machine_.dram;
    const auto share = request.bytes() / static_cast<std::uint64_t>(dram.channels);
    const bool reads = direction == MemoryDirection::kRead;
    return models::channel_service(request, share, direction, dram).occupied() +
           latency(reads ? dram.read_latency_nanoseconds : dram.write_latency_nanoseconds, 1);
}

Picoseconds EngineTimes::copy(std::int64_t elements) const {
    const auto bytes = static_cast<std::uint64_t>(elements * 4);
    return traffic({.read = bytes, .written = bytes, .loads = 1, .stores = 1});
}

Picoseconds EngineTimes::pieces_of_one(std::int64_t elements) const {
    // Commands with any strides, and index lists, need no pieces of one element.
    const isa::MachineShape shape = machine_.shape();
    if (isa::has_feature(shape, isa::Feature::kDmaLayout)) return {};
    if (isa::has_feature(shape, isa::Feature::kDmaIndex)) return {};
    constexpr std::int64_t kBytes = 4;
    const models::GdmaParams& gdma = *machine_.gdma;
    // Only one element per alignment unit starts aligned; all other pieces are shifted.
    const std::int64_t aligned = isa::div_up(elements * kBytes, gdma.alignment_bytes) + 1;
    const double shift = std::min(static_cast<double>(kBytes), gdma.realign_bytes) /
                         gdma.beat_bytes * gdma.realign_cycles_per_beat;
    const double cycles =
        static_cast<double>(elements) * gdma.piece_cycles +
        static_cast<double>(std::max<std::int64_t>(elements - aligned, 0)) * shift;
    return Clock(gdma.clock_mhz).duration({static_cast<std::int64_t>(cycles)});
}

Picoseconds EngineTimes::issue(const IssueNeed& need) const {
    const models::McuParams& mcu = *machine_.mcu;
    const auto call = [&](isa::FirmwareCall which) { return call_cycles(which, mcu).value; };
    const std::int64_t begin =
        (begins_idle_ ? mcu.poll_cycles : 0) + call(isa::FirmwareCall::kInitialize);
    const std::int64_t by_call = models::issue_cycles(mcu, false).value +
                                 own_cycles(kernels::instructions(OwnWork::kCommand), mcu);
    if (!mcu.fetches_lists()) {
        const auto own = static_cast<std::uint64_t>(need.instructions);
        const std::int64_t section =
            call(isa::FirmwareCall::kParallelStart) + call(isa::FirmwareCall::kParallelEnd);
        return Clock(mcu.clock_mhz)
            .duration(
                {begin + own_cycles(own, mcu) + need.sections * section + need.commands * by_call});
    }
    // Each step uses either a list or calls, and has at least one command.
    const std::int64_t by_list = models::issue_cycles(mcu, true).value;
    const auto set_up = own_cycles(static_cast<std::uint64_t>(least_set_up()), mcu);
    const std::int64_t first =
        std::min(call(isa::FirmwareCall::kListStart) + by_list, set_up + by_call);
    return Clock(mcu.clock_mhz)
        .duration({begin + need.steps * first +
                   (need.commands - need.steps) * std::min(by_call, by_list)});
}

Picoseconds EngineTimes::poll() const {
    return Clock(machine_.mcu->clock_mhz).duration({machine_.mcu->poll_cycles});
}

Picoseconds EngineTimes::least_command() const {
    return std::min(compute({0, 1}), std::min(traffic({.loads = 1}), traffic({.stores = 1})));
}

std::int64_t EngineTimes::pieces(std::uint64_t bytes) const {
    const std::int64_t local = machine_.chip->lanes * machine_.chip->local_memory_bytes;
    return std::max<std::int64_t>(1, isa::div_up(static_cast<std::int64_t>(bytes), local));
}

}  // namespace okksim::sim::bound
