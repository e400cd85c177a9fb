// SPDX-License-Identifier: Apache-2.0
#include "models/chip/in_order_machine.h"

#include <algorithm>

#include "isa/errors.h"
#include "models/bdc/bdc_timing.h"
#include "models/gdma/gdma_timing.h"

namespace okksim::models {

InOrderMachine::InOrderMachine(const MachineParams& params)
    : params_(params),
      shape_(params.shape()),
      mcu_clock_(params.mcu.clock_mhz),
      gdma_clock_(params.gdma.clock_mhz),
      bdc_clock_(params.bdc.clock_mhz),
      dram_(params.dram),
      l2_(params.l2_port),
      dtcm_(params.l2_port) {
    for (EngineState& state : engines_) {
        state.ends.resize(static_cast<std::size_t>(params.mcu.queue_depth));
        if (params.chip.bank_interference > 0) state.uses.resize(state.ends.size());
    }
}

Picoseconds InOrderMachine::EngineState::end_of(isa::CommandId id) const {
    return id == 0 || submitted - id >= ends.size() ? Picoseconds{} : ends[id % ends.size()];
}

void InOrderMachine::EngineState::add(const BankUse& use) {
    const std::size_t place = ++submitted % ends.size();
    ends[place] = use.end;
    if (!uses.empty()) uses[place] = use;
}

Picoseconds InOrderMachine::stall(const BankUse& use, const EngineState& other) const {
    Picoseconds shared;
    // Commands end in order, so the latest ones tell when to stop.
    for (isa::CommandId id = other.submitted; other.end_of(id) > use.start; --id) {
        shared += shared_bank_time(use, other.uses[id % other.uses.size()]);
    }
    return bank_stall(shared, params_.chip.bank_interference);
}

void InOrderMachine::begin_launch() {
    now_ += from_nanoseconds(params_.host.launch_nanoseconds);
    launch_start_ = now_;
    for (EngineState& state : engines_) state.submitted = 0;
    for (CommandObserver* observer : observers_) observer->launch_started(now_);
}

Picoseconds InOrderMachine::end_launch() {
    spend();
    wait_for_engines();
    for (CommandObserver* observer : observers_) observer->launch_finished(now_);
    return now_ - launch_start_;
}

void InOrderMachine::pass(ProcessorState state, Picoseconds end) {
    if (end <= now_) return;
    for (CommandObserver* observer : observers_) observer->processor(state, now_, end);
    now_ = end;
}

void InOrderMachine::spend() {
    const Picoseconds duration = mcu_clock_.duration(unspent_);
    unspent_ = {};
    pass(ProcessorState::kCall, now_ + duration);
}

void InOrderMachine::wait_for_engines() {
    for (const EngineState& state : engines_) {
        pass(ProcessorState::kEngineWait, state.end_of(state.submitted));
    }
}

MemoryPort& InOrderMachine::memory_at(std::uint64_t address) {
    if (address - shape_.global_start < shape_.global_bytes) return dram_;
    if (address - shape_.l2_start < shape_.l2_bytes) return l2_;
    OKKSIM_CHECK(address - shape_.dtcm_start < shape_.dtcm_bytes);
    return dtcm_;
}

MemoryReply InOrderMachine::access(const MemoryRequest& request, MemoryDirection direction,
                                   Picoseconds arrival) {
    MemoryPort& memory = memory_at(request.address);
    const MemoryReply reply = memory.serve(request, direction, arrival);
    if (&memory == &dram_) {
        for (CommandObserver* observer : observers_) {
            for (const ChannelUse& use : dram_.last_uses()) observer->memory_channel(use);
        }
    }
    return reply;
}

CommandCost InOrderMachine::cost_of(const isa::Command& command, Picoseconds start) {
    if (command.info().engine == isa::Engine::kBdc) {
        return bdc_time(bdc_cost(command, shape_, params_.bdc), bdc_clock_);
    }
    const GdmaCost cost = gdma_cost(command, shape_, params_.gdma);
    const Picoseconds arrival = start + gdma_clock_.duration(cost.setup);
    std::optional<MemoryReply> read;
    std::optional<MemoryReply> write;
    if (cost.read) read = access(*cost.read, MemoryDirection::kRead, arrival);
    if (cost.write) write = access(*cost.write, MemoryDirection::kWrite, arrival);
    return gdma_time(cost, gdma_clock_, start, read, write);
}

void InOrderMachine::submit(const isa::Command& command) {
    EngineState& own = engine(command.info().engine);
    OKKSIM_CHECK(command.id == own.submitted + 1);
    const Picoseconds begin = now_;
    const Picoseconds calls = mcu_clock_.duration(unspent_);
    const Picoseconds all = mcu_clock_.duration(unspent_ + Cycles{params_.mcu.command_cycles});
    unspent_ = {};
    pass(ProcessorState::kCall, begin + calls);
    pass(ProcessorState::kCommand, begin + all);
    // Room in the queue: the oldest command that it can hold besides this one has retired.
    if (own.submitted >= own.ends.size()) {
        pass(ProcessorState::kQueueFull, own.ends[(own.submitted + 1) % own.ends.size()]);
    }
    for (CommandObserver* observer : observers_) observer->submitted(command);

    CommandTimes times;
    times.queued = now_;
    times.start = std::max({now_, own.end_of(own.submitted),
                            engine(isa::Engine::kGdma).end_of(command.wait_gdma),
                            engine(isa::Engine::kBdc).end_of(command.wait_bdc)});
    times.ready = times.start;
    times.cost = cost_of(command, times.start);
    times.end = times.start + times.cost.total();
    BankUse use{0, times.start, times.end};
    if (!own.uses.empty()) {
        use.banks = touched_banks(command, shape_);
        const Picoseconds lost =
            stall(use, engine(command.info().engine == isa::Engine::kGdma ? isa::Engine::kBdc
                                                                          : isa::Engine::kGdma));
        times.cost.bank_conflict += lost;
        times.end += lost;
        use.end = times.end;
    }
    own.add(use);
    for (CommandObserver* observer : observers_) observer->retired(command, times);
}

void InOrderMachine::wait_until_idle() {
    for (CommandObserver* observer : observers_) observer->polled();
    spend();
    wait_for_engines();
    unspent_ += {params_.mcu.poll_cycles};
}

void InOrderMachine::charge(isa::FirmwareCall call, std::uint64_t count) {
    for (CommandObserver* observer : observers_) observer->charged(call, count);
    unspent_.value += call_cycles(call, params_.mcu).value * static_cast<std::int64_t>(count);
}

}  // namespace okksim::models
