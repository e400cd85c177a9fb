// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/account_cutter.h"

#include <algorithm>

#include "isa/base/errors.h"

namespace okksim::sim::trace {

using models::Picoseconds;

AccountCutter::AccountCutter(const EngineList& engines)
    : engines_(engines),
      rest_{{}, {}, Account(engines)},
      commands_(engines.processor()),
      cursor_(engines.size()),
      pending_(engines.size()) {}

void AccountCutter::start(Picoseconds start) {
    *this = AccountCutter(engines_);
    boundary_ = start;
    turns_.push_back({kNobody, 0, start, false, false});
}

void AccountCutter::turn(std::size_t owner, Picoseconds now) {
    OKKSIM_CHECK(!turns_.empty());
    Turn& last = turns_.back();
    last.is_over = true;
    last.completed = std::max(last.completed, now);
    turns_.push_back({owner, 0, {}, false, false});
    settle();
}

std::size_t AccountCutter::submitted(std::size_t engine) {
    OKKSIM_CHECK(!turns_.empty());
    ++turns_.back().outstanding;
    const std::size_t owner = turns_.back().owner;
    commands_[engine].push_back({first_turn_ + turns_.size() - 1, owner});
    return owner;
}

std::size_t AccountCutter::retired(std::size_t engine, Picoseconds end) {
    auto& commands = commands_[engine];
    OKKSIM_CHECK(!commands.empty());
    const OutstandingCommand command = commands.front();
    commands.pop_front();
    Turn& turn = at(command.turn);
    --turn.outstanding;
    turn.completed = std::max(turn.completed, end);
    settle();
    retired_owner_ = command.owner;
    return command.owner;
}

void AccountCutter::settle() {
    while (settled_ < first_turn_ + turns_.size()) {
        Turn& turn = at(settled_);
        if (!turn.is_over || turn.outstanding > 0) return;
        turn.is_settled = true;
        turn.completed = std::max(turn.completed, boundary_);
        if (turn.owner != kNobody) {
            AccountSlice& slice = slice_of(turn.owner);
            if (slice.account.launches == 0) slice.begin = boundary_;
            slice.account.launches = 1;
            slice.end = turn.completed;
            slice.account.span += turn.completed - boundary_;
        }
        boundary_ = turn.completed;
        ++settled_;
    }
}

AccountSlice& AccountCutter::slice_of(std::size_t owner) {
    if (owner == kNobody) return rest_;
    while (owner >= slices_.size()) slices_.push_back({{}, {}, Account(engines_)});
    return slices_[owner];
}

void AccountCutter::take(const Stretch& stretch, std::size_t owner) {
    EngineAccount& engine = slice_of(owner).account.engines[stretch.engine];
    const Picoseconds duration = stretch.end - stretch.begin;
    engine[stretch.cause] += duration;
    if (stretch.cause == Cause::kBusy) engine.busy.add(stretch.work_class, duration);
}

void AccountCutter::spent(const Stretch& stretch) {
    if (turns_.empty()) return;  // not the launch to divide
    pending_[stretch.engine].push_back(stretch);
    distribute(stretch.engine);
}

void AccountCutter::distribute(std::size_t engine) {
    auto& pending = pending_[engine];
    std::size_t& cursor = cursor_[engine];
    while (!pending.empty()) {
        Stretch& stretch = pending.front();
        while (at(cursor).is_settled && at(cursor).completed <= stretch.begin &&
               cursor + 1 < first_turn_ + turns_.size()) {
            ++cursor;
        }
        const Turn& turn = at(cursor);
        if (stretch.end <= turn.completed) {
            take(stretch, turn.owner);
            pending.pop_front();
        } else if (turn.is_settled && turn.completed > stretch.begin) {
            Stretch before = stretch;
            before.end = stretch.begin = turn.completed;
            take(before, turn.owner);
        } else {
            break;  // the turn's end is not yet known
        }
    }
    forget_passed_turns();
}

void AccountCutter::forget_passed_turns() {
    const std::size_t passed =
        std::min(*std::min_element(cursor_.begin(), cursor_.end()), settled_);
    while (first_turn_ < passed) {
        turns_.pop_front();
        ++first_turn_;
    }
}

void AccountCutter::accounted(const isa::Command& command, const models::CommandTimes&,
                              const CommandAccount& account) {
    if (turns_.empty()) return;
    const isa::InstructionInfo& info = command.info();
    Account& own = slice_of(retired_owner_).account;
    const std::size_t engine = engines_.of(command);
    ++own.engines[engine].commands;
    ++own.processor().commands;
    own.engines[engine].busy.add(static_cast<std::size_t>(info.timing), {}, account.operations);
    own.dram.add(account.dram);
    own.events.add(account.events);
}

void AccountCutter::accessed(const models::energy::Traffic& traffic) {
    if (turns_.empty()) return;
    slice_of(turns_.back().owner).account.events.add(models::energy::Unit::kMcu, traffic);
}

void AccountCutter::launch_accounted(const Account& account) {
    if (turns_.empty()) return;
    turns_.back().is_over = true;
    settle();
    OKKSIM_CHECK(settled_ == first_turn_ + turns_.size());
    // Time after the last completion, and the host's launch and sync, has no owner.
    for (std::size_t engine = 0; engine < pending_.size(); ++engine) {
        distribute(engine);
        for (const Stretch& stretch : pending_[engine]) take(stretch, kNobody);
        pending_[engine].clear();
    }
    Account& rest = rest_.account;
    rest.name = account.name;
    rest.launches = account.launches;
    rest.span = account.span;
    for (const AccountSlice& slice : slices_) rest.span.value -= slice.account.span.value;
    for (std::size_t e = 0; e < rest.engines.size(); ++e) {
        // No stretch covers the host's part.
        EngineAccount& engine = rest.engines[e];
        engine[Cause::kIdle] += rest.span - engine.total();
    }
    check_sums(account);
    turns_.clear();
}

void AccountCutter::check_sums(const Account& whole) const {
    Account sum;
    for (const AccountSlice& slice : slices_) {
        slice.account.check_sums();
        sum.add(slice.account);
    }
    rest_.account.check_sums();
    sum.add(rest_.account);
    OKKSIM_CHECK(sum.span == whole.span);
    OKKSIM_CHECK(sum.dram.total() == whole.dram.total());
    OKKSIM_CHECK(sum.events == whole.events);
    for (std::size_t e = 0; e < sum.engines.size(); ++e) {
        OKKSIM_CHECK(sum.engines[e].by_cause == whole.engines[e].by_cause);
        OKKSIM_CHECK(sum.engines[e].commands == whole.engines[e].commands);
        OKKSIM_CHECK(sum.engines[e].busy.operations() == whole.engines[e].busy.operations());
    }
}

}  // namespace okksim::sim::trace
