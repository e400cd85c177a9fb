// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "sim/trace/accountant.h"

namespace okksim::sim::trace {

/// An owner's part of a launch. A turn's time runs from the completion of all earlier turns to its
/// own completion.
struct AccountSlice {
    models::Picoseconds begin,
        end;          ///< of its first and last turn; turns of others may be between them
    Account account;  ///< of its turns only
};

/// Divides the time of a launch among owners, e.g. the operators of a graph, that take turns in
/// issuing commands. A turn begins when everything issued before it is complete. It ends when its
/// own commands and the processor's work for it are complete. All engine time within a turn belongs
/// to its owner, so the owners' accounts add up to the launch's account. Operations and traffic
/// belong to the owner that issued the command.
class AccountCutter : public AccountListener {
 public:
    /// Stands for no owner: time before the first turn and after the last one.
    static constexpr std::size_t kNobody = SIZE_MAX;

    explicit AccountCutter(const EngineList& engines);

    /// Clears all state; the next launch starts at `start`.
    void start(models::Picoseconds start);
    /// Starts a turn of `owner` at the processor's time `now`.
    void turn(std::size_t owner, models::Picoseconds now);
    /// Registers a command that joins an engine's queue. Returns its owner.
    std::size_t submitted(std::size_t engine);
    /// Registers the completion of the engine's oldest command, before accounted(). Returns its
    /// owner.
    std::size_t retired(std::size_t engine, models::Picoseconds end);

    /// Returns the owner of the last command passed to retired().
    std::size_t last_retired() const { return retired_owner_; }

    void spent(const Stretch& stretch) override;
    void accounted(const isa::Command& command, const models::CommandTimes& times,
                   const CommandAccount& account) override;
    void accessed(const models::energy::Traffic& traffic) override;
    /// Throws InternalError unless the slices add up to the launch.
    void launch_accounted(const Account& account) override;

    /// Slices by owner; complete after launch_accounted().
    const std::vector<AccountSlice>& slices() const { return slices_; }
    /// Time without an owner: start-up code, the end, the host's launch and sync.
    const Account& rest() const { return rest_.account; }

 private:
    struct Turn {
        std::size_t owner = kNobody;
        std::size_t outstanding = 0;    ///< commands
        models::Picoseconds completed;  ///< latest completion known so far
        bool is_over = false;           ///< the turn issues nothing more
        bool is_settled = false;        ///< this turn and all earlier ones are complete
    };
    struct OutstandingCommand {
        std::size_t turn, owner;
    };

    Turn& at(std::size_t turn) { return turns_[turn - first_turn_]; }
    AccountSlice& slice_of(std::size_t owner);
    /// Settles complete turns in order, up to the first incomplete one.
    void settle();
    void distribute(std::size_t engine);
    void take(const Stretch& stretch, std::size_t owner);
    void forget_passed_turns();
    void check_sums(const Account& whole) const;

    EngineList engines_;
    std::vector<AccountSlice> slices_;
    AccountSlice rest_;
    std::deque<Turn> turns_;  ///< starting with number `first_turn_`
    std::size_t first_turn_ = 0;
    std::size_t settled_ = 0;       ///< first turn that is not settled
    models::Picoseconds boundary_;  ///< completion of the last settled turn
    // By engine:
    std::vector<std::deque<OutstandingCommand>> commands_;
    std::vector<std::size_t> cursor_;  ///< turn that contains the engine's next stretch
    std::vector<std::deque<Stretch>> pending_;
    std::size_t retired_owner_ = kNobody;
};

}  // namespace okksim::sim::trace
