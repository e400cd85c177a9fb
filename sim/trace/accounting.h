// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "isa/instructions.h"
#include "models/chip/command_observer.h"
#include "models/mcu/mcu_params.h"

namespace okksim::sim::trace {

/// What a moment of an engine goes into. Every moment of a launch has exactly one cause.
enum class Cause : std::uint8_t {
    kBusy,             ///< at work
    kOtherEngine,      ///< a command waits for the other engine, or the processor for both
    kQueue,            ///< nothing queued because the processor is slow; for it: the queue is full
    kMemoryBandwidth,  ///< a command waits for bytes of DRAM (or L2-SRAM, DTCM)
    kMemoryLatency,    ///< a command waits for the first or last byte of such a memory
    kBankConflict,     ///< operands in the same bank of local memory
    kIdle,             ///< nothing to do: before and after the kernel's work
};
inline constexpr std::size_t kCauses = 7;
/// "busy", "other engine", ...
const char* cause_name(Cause cause);

/// Kinds of work: one per timing class of commands, two for the control processor.
inline constexpr std::size_t kWorkClasses =
    static_cast<std::size_t>(isa::TimingClass::kSequence) + 3;
/// "convolution", "copy", ..., "writing commands", "other calls".
const char* work_class_name(std::size_t work_class);

/// Time of one engine by cause, and its busy time by kind of work.
struct EngineAccount {
    std::array<models::Picoseconds, kCauses> by_cause{};
    std::array<models::Picoseconds, kWorkClasses> busy{};
    std::uint64_t commands = 0;

    models::Picoseconds operator[](Cause cause) const {
        return by_cause[static_cast<std::size_t>(cause)];
    }
    models::Picoseconds total() const;
};

/// A launch, or several: what each engine's time went into. Every engine's total is the span.
struct Account {
    static constexpr std::size_t kGdma = 0;
    static constexpr std::size_t kBdc = 1;
    static constexpr std::size_t kMcu = 2;

    std::string name;
    std::uint64_t launches = 0;
    models::Picoseconds span;  ///< from the host's launch call until its sync returns
    std::array<EngineAccount, 3> engines;

    void add(const Account& other);
};
/// "GDMA", "BDC", "MCU".
const char* account_engine_name(std::size_t engine);

/// Accounts for every launch of a machine while it runs. Sums are checked when a launch ends: an
/// InternalError means that a moment has no cause or two.
class Accountant : public models::CommandObserver {
 public:
    explicit Accountant(const models::HostParams& host) : host_(host) {}

    /// Names the launches to come, in their order.
    void name_launch(std::string name) { names_.push_back(std::move(name)); }

    const std::vector<Account>& launches() const { return launches_; }
    /// Sum of all launches.
    Account total() const;

    void launch_started(models::Picoseconds time) override;
    void launch_finished(models::Picoseconds time) override;
    void retired(const isa::Command& command, const models::CommandTimes& times) override;
    void processor(models::ProcessorState state, models::Picoseconds begin,
                   models::Picoseconds end) override;

 private:
    struct Interval {
        models::Picoseconds begin, end;
    };

    EngineAccount& account(std::size_t engine) { return current_.engines[engine]; }
    void add(std::size_t engine, Cause cause, models::Picoseconds duration);
    void add_busy(std::size_t engine, std::size_t work_class, models::Picoseconds duration);
    /// An engine had no command from `until_` to `queued`: because the processor waited, or was
    /// slow.
    void add_empty_queue(std::size_t engine, models::Picoseconds queued);

    models::HostParams host_;
    std::deque<std::string> names_;
    std::vector<Account> launches_;
    Account current_;
    models::Picoseconds start_;
    std::array<models::Picoseconds, 3> until_;     ///< accounted so far
    std::array<std::deque<Interval>, 2> waiting_;  ///< of the processor, beyond `until_`
};

/// Forms of an account for reports: a table, an object, rows
/// "launch,name,engine,cause,class,us,percent".
std::string account_text(const Account& account);
nlohmann::ordered_json account_json(const Account& account);
std::string account_csv(const std::vector<Account>& accounts);

}  // namespace okksim::sim::trace
