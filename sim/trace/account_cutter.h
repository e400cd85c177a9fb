// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "sim/trace/accountant.h"

namespace okksim::sim::trace {

/// A part of a launch: the time between the completion of what was issued before it and its own.
struct AccountSlice {
    models::Picoseconds begin,
        end;          ///< of its first and last turn; the turns of others lie between
    Account account;  ///< of its own turns alone
};

/// Cuts the time of a launch among owners, e.g. the operators of a graph, that take turns in
/// issuing commands. A turn lasts from the completion of all that was issued before it to the
/// completion of its own commands and of the processor's own work for it; what the engines do in
/// that time is the owner's, so that the owners' accounts add up to the launch's. Operations and
/// traffic belong to the owner that issued the command.
class AccountCutter : public AccountListener {
 public:
    /// Owner of time before the first turn and after the last.
    static constexpr std::size_t kNobody = SIZE_MAX;

    explicit AccountCutter(const EngineList& engines);

    /// Forgets everything; the next launch starts at `start`.
    void start(models::Picoseconds start);
    /// What is issued from now on belongs to `owner`. `now` is the processor's time.
    void turn(std::size_t owner, models::Picoseconds now);
    /// A command joins an engine's queue. Its owner.
    std::size_t submitted(std::size_t engine);
    /// The engine's oldest command is complete; to be told before accounted(). Its owner.
    std::size_t retired(std::size_t engine, models::Picoseconds end);

    /// Owner of the command that was told to retired() last.
    std::size_t last_retired() const { return retired_owner_; }

    void spent(const Stretch& stretch) override;
    void accounted(const isa::Command& command, const models::CommandTimes& times,
                   const CommandAccount& account) override;
    void accessed(const models::energy::Traffic& traffic) override;
    /// Checks that the slices add up to the launch: InternalError otherwise.
    void launch_accounted(const Account& account) override;

    /// By owner; complete once the launch is accounted for.
    const std::vector<AccountSlice>& slices() const { return slices_; }
    /// What belongs to nobody: start-up code, the end, the host's launch and sync.
    const Account& rest() const { return rest_.account; }

 private:
    struct Turn {
        std::size_t owner = kNobody;
        std::size_t outstanding = 0;    ///< commands
        models::Picoseconds completed;  ///< of what is known so far
        bool is_over = false;           ///< nothing more is issued
        bool is_settled = false;        ///< and everything is complete, also of earlier turns
    };
    struct OutstandingCommand {
        std::size_t turn, owner;
    };

    Turn& at(std::size_t turn) { return turns_[turn - first_turn_]; }
    AccountSlice& slice_of(std::size_t owner);
    /// Settles turns in order, as far as they are complete.
    void settle();
    void distribute(std::size_t engine);
    void take(const Stretch& stretch, std::size_t owner);
    void forget_passed_turns();
    void check_sums(const Account& whole) const;

    EngineList engines_;
    std::vector<AccountSlice> slices_;
    AccountSlice rest_;
    std::deque<Turn> turns_;  ///< from `first_turn_` on
    std::size_t first_turn_ = 0;
    std::size_t settled_ = 0;       ///< first turn that is not settled
    models::Picoseconds boundary_;  ///< completion of the last settled turn
    // By engine:
    std::vector<std::deque<OutstandingCommand>> commands_;
    std::vector<std::size_t> cursor_;  ///< turn that the engine's next stretch falls into
    std::vector<std::deque<Stretch>> pending_;
    std::size_t retired_owner_ = kNobody;
};

}  // namespace okksim::sim::trace
