// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/chip/machine_params.h"
#include "models/energy/event_laws.h"
#include "models/sequencer/command_observer.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// An interval of an engine's time with one cause.
struct Stretch {
    std::size_t engine = 0;
    Cause cause = Cause::kIdle;
    std::size_t work_class = 0;  ///< only for Cause::kBusy
    models::Picoseconds begin, end;
};

/// Work of one command, and the time from the end of its engine's last command to its own end, by
/// cause.
struct CommandAccount {
    std::array<models::Picoseconds, kCauses> by_cause{};
    std::uint64_t operations = 0;
    DramTraffic dram;
    models::energy::CommandEvents events;

    models::Picoseconds operator[](Cause cause) const {
        return by_cause[static_cast<std::size_t>(cause)];
    }
};

/// Receives an Accountant's results while it runs. The stretches of an engine follow one another
/// without gaps.
class AccountListener {
 public:
    virtual ~AccountListener() = default;
    /// A launch begins; `name` is empty if name_launch() has not named it.
    virtual void launch_begun(const std::string& name) { (void)name; }
    virtual void spent(const Stretch& stretch) { (void)stretch; }
    /// Called after the command's stretches.
    virtual void accounted(const isa::Command& command, const models::CommandTimes& times,
                           const CommandAccount& account) {
        (void)command;
        (void)times;
        (void)account;
    }
    /// Traffic of a load or store by the control processor itself, in program order.
    virtual void accessed(const models::energy::Traffic& traffic) { (void)traffic; }
    /// Called after all stretches of the launch; the host's launch and sync have none.
    virtual void launch_accounted(const Account& account) { (void)account; }
};

/// Accounts for every launch of a machine while it runs. The end of a launch checks the sums: an
/// InternalError means that a moment has no cause or two.
class Accountant : public models::CommandObserver {
 public:
    explicit Accountant(const models::MachineParams& machine);

    /// Names the next unnamed launch.
    void name_launch(std::string name) { names_.push_back(std::move(name)); }
    /// The listener must outlive the accountant's last launch.
    void add_listener(AccountListener& listener) { listeners_.push_back(&listener); }

    /// From now on launches() stays empty, and total() has the sum.
    void keep_sum_only() { sum_.emplace(engines_); }
    const std::vector<Account>& launches() const { return launches_; }
    /// Returns the sum of all launches.
    Account total() const;

    void launch_started(models::Picoseconds time) override;
    void launch_finished(models::Picoseconds time) override;
    void retired(const isa::Command& command, const models::CommandTimes& times) override;
    void processor(models::ProcessorState state, models::Picoseconds begin,
                   models::Picoseconds end) override;
    void charged(isa::FirmwareCall call, std::uint64_t count) override;
    void accessed(const isa::ProcessorAccess& access) override;

 private:
    /// A time in which the processor waits or computes: the cause for engines with an empty queue.
    struct Interval {
        models::Picoseconds begin, end;
        Cause cause;
    };

    EngineAccount& account(std::size_t engine) { return current_.engines[engine]; }
    void add(std::size_t engine, Cause cause, models::Picoseconds duration,
             std::size_t work_class = 0);
    void add_busy(std::size_t engine, std::size_t work_class, models::Picoseconds duration);
    /// Counts operations, traffic and events of a command.
    void count_work(const isa::Command& command, std::size_t engine, CommandAccount& account);
    /// Accounts for an engine's empty queue from `until_` to `queued`: the processor waited,
    /// computed, or was slow.
    void add_empty_queue(std::size_t engine, models::Picoseconds queued);

    models::Section<models::HostParams> host_;
    bool fetches_lists_;
    bool in_list_ = false;  ///< the processor's work here was done before the launch
    isa::MachineShape shape_;
    models::energy::EventLaws event_laws_;
    EngineList engines_;
    std::vector<AccountListener*> listeners_;
    std::deque<std::string> names_;
    std::vector<Account> launches_;
    std::optional<Account> sum_;  ///< see keep_sum_only()
    Account current_;
    CommandAccount command_;  ///< of the current command
    models::Picoseconds start_;
    std::vector<models::Picoseconds> until_;   ///< by engine: end of the accounted time
    std::vector<std::deque<Interval>> apart_;  ///< by engine: intervals after `until_`
};

}  // namespace okksim::sim::trace
