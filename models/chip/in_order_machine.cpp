// SPDX-License-Identifier: Apache-2.0
#include "models/chip/in_order_machine.h"

#include <algorithm>

#include "isa/errors.h"
#include "models/bdc/bdc_timing.h"
#include "models/gdma/gdma_timing.h"
#include "models/mcu/mcu_timing.h"

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
    return id == 0 || timed - id >= ends.size() ? Picoseconds{} : ends[id % ends.size()];
}

void InOrderMachine::EngineState::add(const BankUse& use) {
    const std::size_t place = ++timed % ends.size();
    ends[place] = use.end;
    if (!uses.empty()) uses[place] = use;
}

Picoseconds InOrderMachine::stall(const BankUse& use, const EngineState& other,
                                  isa::CommandId issued_before) const {
    Picoseconds shared;
    // Commands end in order, so the latest ones tell when to stop.
    isa::CommandId id = std::min(issued_before, other.timed);
    for (; other.end_of(id) > use.start; --id) {
        shared += shared_bank_time(use, other.uses[id % other.uses.size()]);
    }
    return bank_stall(shared, params_.chip.bank_interference);
}

void InOrderMachine::begin_launch() {
    now_ += from_nanoseconds(params_.host.launch_nanoseconds);
    launch_start_ = now_;
    for (EngineState& state : engines_) {
        state.submitted = state.timed = 0;
        state.waiting.clear();
    }
    pending_.clear();
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
    const Picoseconds begin = now_;
    const Picoseconds calls = mcu_clock_.duration(calls_);
    const Picoseconds computed = mcu_clock_.duration(calls_ + computing_);
    calls_ = computing_ = {};
    pass(ProcessorState::kCall, begin + calls);
    pass(ProcessorState::kComputing, begin + computed);
}

void InOrderMachine::wait_for_engines() {
    for (EngineState& state : engines_) settle(state, state.submitted);
    for (const EngineState& state : engines_) {
        pass(ProcessorState::kEngineWait, state.end_of(state.submitted));
    }
}

MemoryPort& InOrderMachine::memory_at(std::uint64_t address) {
    if (shape_.global().holds(address)) return dram_;
    if (shape_.l2().holds(address)) return l2_;
    OKKSIM_CHECK(shape_.dtcm().holds(address));
    return dtcm_;
}

MemoryReply InOrderMachine::serve(std::uint64_t address, const MemoryRequest& request,
                                  MemoryDirection direction, Picoseconds arrival,
                                  Arbitration arbitration) {
    MemoryPort& memory = memory_at(address);
    const MemoryReply reply = memory.serve(request, direction, arrival, arbitration);
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
    const auto serve_part = [&](const MemoryRequest& request, MemoryDirection direction) {
        return serve(request.address, request, direction, arrival, Arbitration::kArrival);
    };
    std::optional<MemoryReply> read;
    std::optional<MemoryReply> write;
    if (cost.read) read = serve_part(*cost.read, MemoryDirection::kRead);
    if (cost.write) write = serve_part(*cost.write, MemoryDirection::kWrite);
    return gdma_time(cost, gdma_clock_, start, read, write);
}

InOrderMachine::Pending* InOrderMachine::head(isa::Engine kind) {
    const auto& waiting = engine(kind).waiting;
    return waiting.empty() ? nullptr : &pending(waiting.front());
}

bool InOrderMachine::has_known_start(const Pending& head) {
    return head.command.wait_gdma <= engine(isa::Engine::kGdma).timed &&
           head.command.wait_bdc <= engine(isa::Engine::kBdc).timed;
}

Picoseconds InOrderMachine::start_of(const Pending& head) {
    OKKSIM_CHECK(has_known_start(head));
    const EngineState& own = engine(head.command.info().engine);
    return std::max({head.times.queued, own.end_of(own.timed),
                     engine(isa::Engine::kGdma).end_of(head.command.wait_gdma),
                     engine(isa::Engine::kBdc).end_of(head.command.wait_bdc)});
}

void InOrderMachine::time_head(isa::Engine kind) {
    EngineState& own = engine(kind);
    Pending& command = pending(own.waiting.front());
    CommandTimes& times = command.times;
    times.start = times.ready = start_of(command);
    times.cost = cost_of(command.command, times.start);
    times.end = times.start + times.cost.total();
    BankUse use{0, times.start, times.end};
    if (!own.uses.empty()) {
        use.banks = touched_banks(command.command, shape_);
        const Picoseconds lost = stall(use, other_than(kind), command.other_submitted);
        times.cost.bank_conflict += lost;
        times.end += lost;
        use.end = times.end;
    }
    own.add(use);
    own.waiting.pop_front();
    command.is_timed = true;
}

bool InOrderMachine::may_meet_next_transfer(const Pending& compute) {
    const Pending* transfer = head(isa::Engine::kGdma);
    if (params_.chip.bank_interference == 0 || transfer == nullptr ||
        transfer->command.id > compute.other_submitted) {
        return false;
    }
    const Picoseconds start = start_of(compute);
    return start_of(*transfer) < start + cost_of(compute.command, start).total();
}

void InOrderMachine::time_compute() {
    for (const Pending* next = head(isa::Engine::kBdc); next != nullptr;
         next = head(isa::Engine::kBdc)) {
        if (!has_known_start(*next) || may_meet_next_transfer(*next)) return;
        time_head(isa::Engine::kBdc);
    }
}

void InOrderMachine::advance(Picoseconds limit) {
    time_compute();
    for (const Pending* next = head(isa::Engine::kGdma);
         next != nullptr && start_of(*next) <= limit; next = head(isa::Engine::kGdma)) {
        time_head(isa::Engine::kGdma);
        time_compute();
    }
    retire();
}

void InOrderMachine::settle(EngineState& state, isa::CommandId id) {
    advance(now_);
    while (state.timed < id) {
        // Whatever is not timed waits for the data mover's next command, which starts before it
        // ends, while the processor waits.
        time_head(isa::Engine::kGdma);
        time_compute();
    }
    retire();
}

void InOrderMachine::retire() {
    while (!pending_.empty() && pending_.front().is_timed) {
        const Pending& done = pending_.front();
        for (CommandObserver* observer : observers_) observer->retired(done.command, done.times);
        pending_.pop_front();
        ++first_pending_;
    }
}

void InOrderMachine::submit(const isa::Command& command) {
    const isa::Engine kind = command.info().engine;
    EngineState& own = engine(kind);
    OKKSIM_CHECK(command.id == own.submitted + 1);
    const Picoseconds begin = now_;
    const Picoseconds calls = mcu_clock_.duration(calls_);
    const Picoseconds computed = mcu_clock_.duration(calls_ + computing_);
    const Picoseconds all =
        mcu_clock_.duration(calls_ + computing_ + Cycles{params_.mcu.command_cycles});
    calls_ = computing_ = {};
    pass(ProcessorState::kCall, begin + calls);
    pass(ProcessorState::kComputing, begin + computed);
    pass(ProcessorState::kCommand, begin + all);
    // Room in the queue: the oldest command that it can hold besides this one has retired.
    if (own.submitted >= own.ends.size()) {
        const isa::CommandId oldest = own.submitted + 1 - own.ends.size();
        settle(own, oldest);
        pass(ProcessorState::kQueueFull, own.end_of(oldest));
    }
    // What starts by now must be timed while the ends that it waits for are still known.
    advance(now_);
    for (CommandObserver* observer : observers_) observer->submitted(command);
    own.waiting.push_back(first_pending_ + pending_.size());
    ++own.submitted;
    Pending& added = pending_.emplace_back();
    added.command = command;
    added.times.queued = now_;
    added.other_submitted = other_than(kind).submitted;
    advance(now_);
}

void InOrderMachine::access(const isa::ProcessorAccess& access) {
    for (CommandObserver* observer : observers_) observer->accessed(access);
    const auto request = processor_request(access, shape_, params_.mcu);
    if (!request) return;
    spend();
    advance(now_);
    const MemoryReply reply = serve(access.address.value(), *request, direction_of(access.kind),
                                    now_, Arbitration::kTurns);
    pass(ProcessorState::kMemoryBandwidth, reply.served);
    pass(ProcessorState::kMemoryLatency, processor_resumes(*request, reply));
}

void InOrderMachine::wait_until_idle() {
    for (CommandObserver* observer : observers_) observer->polled();
    spend();
    wait_for_engines();
    calls_ += {params_.mcu.poll_cycles};
}

void InOrderMachine::charge(isa::FirmwareCall call, std::uint64_t count) {
    for (CommandObserver* observer : observers_) observer->charged(call, count);
    calls_.value += call_cycles(call, params_.mcu).value * static_cast<std::int64_t>(count);
}

void InOrderMachine::compute(const isa::Computation& computation) {
    for (CommandObserver* observer : observers_) observer->computed(computation);
    computing_ += compute_cycles(computation, params_.mcu);
}

}  // namespace okksim::models
