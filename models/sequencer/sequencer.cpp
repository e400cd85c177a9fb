// SPDX-License-Identifier: Apache-2.0
#include "models/sequencer/sequencer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "isa/base/errors.h"

namespace okksim::models {
namespace {

constexpr Picoseconds kNever{std::numeric_limits<std::int64_t>::max()};

}  // namespace

Sequencer::Sequencer(std::vector<EngineEntry> engines, const isa::MachineShape& machine,
                     double interference)
    : machine_(machine), interference_(interference) {
    engines_.reserve(engines.size());
    for (EngineEntry& entry : engines) {
        OKKSIM_CHECK(entry.queue_depth > 0 && entry.cost);
        kinds_[static_cast<std::size_t>(entry.kind)].engines.push_back(engines_.size());
        EngineState& state = engines_.emplace_back();
        state.entry = std::move(entry);
        state.next = kNever;
    }
}

std::size_t Sequencer::engine_of(const isa::Command& command) const {
    const auto& engines = kinds_[static_cast<std::size_t>(command.info().engine)].engines;
    if (command.instance < engines.size()) return engines[command.instance];
    throw ConfigError(command.info().name, "is for engine " + std::to_string(command.instance) +
                                               " of its kind, counted from 0; the machine has " +
                                               std::to_string(engines.size()) +
                                               ": set chip.compute_engines");
}

bool Sequencer::may_start(const isa::Command& command) const {
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        if (command.wait(static_cast<isa::Engine>(kind)) > kinds_[kind].complete) return false;
    }
    return true;
}

void Sequencer::consider_start(EngineState& state) {
    if (state.is_running || state.queue.is_empty()) return;
    if (may_start(state.queue.front().command)) state.next = now_;
}

void Sequencer::submit(std::size_t engine, const isa::Command& command, Picoseconds now) {
    EngineState& state = engines_[engine];
    KindState& own = kinds_[static_cast<std::size_t>(state.entry.kind)];
    OKKSIM_CHECK(state.queue.size() < state.entry.queue_depth);
    OKKSIM_CHECK(command.id == own.submitted + 1);
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
        OKKSIM_CHECK(command.wait(static_cast<isa::Engine>(kind)) <= kinds_[kind].submitted);
    }
    own.submitted = command.id;
    now_ = std::max(now_, now);
    QueuedCommand& last = state.queue.push();
    last.command = command;
    last.queued = now;
    last.number = ++numbers_;
    ++open_;
    if (state.queue.size() == 1) consider_start(state);
}

std::optional<Sequencer::Event> Sequencer::next_event() const {
    std::size_t first = 0;
    Picoseconds time = kNever;
    for (std::size_t i = 0; i < engines_.size(); ++i) {
        if (engines_[i].next >= time) continue;
        time = engines_[i].next;
        first = i;
    }
    if (time == kNever) return std::nullopt;
    return Event{time, first,
                 engines_[first].is_running ? Event::Kind::kFinish : Event::Kind::kStart};
}

std::optional<Picoseconds> Sequencer::next_time(std::size_t engine) const {
    if (engines_[engine].next == kNever) return std::nullopt;
    return engines_[engine].next;
}

void Sequencer::start(std::size_t engine, MemorySystem& memories) {
    EngineState& state = engines_[engine];
    OKKSIM_CHECK(!state.is_running && state.next != kNever);
    const QueuedCommand& head = state.queue.front();
    CommandTimes& times = state.times;
    times.queued = head.queued;
    times.ready = times.start = state.next;
    // The end is unknown until the memories have replied.
    state.is_running = true;
    state.next = kNever;
    state.stall_is_known = interference_ == 0;
    if (interference_ > 0) state.banks = touched_banks(head.command, machine_);
    times.cost = state.entry.cost(head.command, times.start, memories);
    times.end = times.start + times.cost.total();
    state.next = times.end;
}

Picoseconds Sequencer::shared_time(std::size_t engine) const {
    const EngineState& own = engines_[engine];
    const std::uint64_t number = own.queue.front().number;
    const BankUse use{own.banks, own.times.start, own.times.end};
    Picoseconds shared;
    for (const PastUse& past : past_) {
        if (past.engine == engine || past.number > number) continue;
        shared += shared_bank_time(use, past.use);
    }
    for (const EngineState& other : engines_) {
        if (&other == &own || !other.is_running || other.queue.front().number > number) continue;
        shared += shared_bank_time(use, {other.banks, other.times.start, use.end});
    }
    return shared;
}

bool Sequencer::finish(std::size_t engine) {
    EngineState& state = engines_[engine];
    OKKSIM_CHECK(state.is_running && state.next != kNever);
    now_ = std::max(now_, state.times.end);
    if (state.stall_is_known) return true;
    state.stall_is_known = true;
    const Picoseconds stall = bank_stall(shared_time(engine), interference_);
    state.times.cost.bank_conflict += stall;
    state.times.end += stall;
    state.next = state.times.end;
    return stall.value == 0;
}

void Sequencer::remember(std::size_t engine) {
    const EngineState& own = engines_[engine];
    Picoseconds oldest = kNever;
    for (const EngineState& other : engines_) {
        if (&other != &own && other.is_running) oldest = std::min(oldest, other.times.start);
    }
    std::erase_if(past_, [&](const PastUse& past) { return past.use.end <= oldest; });
    if (oldest == kNever) return;
    past_.push_back(
        {{own.banks, own.times.start, own.times.end}, own.queue.front().number, engine});
}

void Sequencer::complete(KindState& kind) {
    kind.complete = kind.submitted;
    for (const std::size_t engine : kind.engines) {
        const CommandQueue& queue = engines_[engine].queue;
        if (queue.is_empty()) continue;
        kind.complete = std::min(kind.complete, queue.front().command.id - 1);
    }
}

void Sequencer::retire(std::size_t engine) {
    EngineState& state = engines_[engine];
    OKKSIM_CHECK(state.is_running && state.stall_is_known && state.next != kNever);
    if (interference_ > 0) remember(engine);
    state.is_running = false;
    state.next = kNever;
    state.queue.pop();
    --open_;
    complete(kinds_[static_cast<std::size_t>(state.entry.kind)]);
    for (EngineState& other : engines_) consider_start(other);
}

void Sequencer::restart() {
    for (EngineState& state : engines_) {
        state.queue.clear();
        state.is_running = false;
        state.next = kNever;
    }
    for (KindState& kind : kinds_) kind.submitted = kind.complete = 0;
    past_.clear();
    open_ = 0;
}

}  // namespace okksim::models
