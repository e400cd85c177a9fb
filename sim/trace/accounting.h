// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instructions.h"
#include "models/chip/command_observer.h"
#include "models/chip/machine_params.h"

namespace okksim::sim::trace {

/// What a moment of an engine goes into. Every moment of a launch has exactly one cause.
enum class Cause : std::uint8_t {
    kBusy,             ///< at work
    kOtherEngine,      ///< a command waits for the other engine, or the processor for both
    kQueue,            ///< nothing queued because the processor is slow; for it: the queue is full
    kComputing,        ///< nothing queued because the processor computes; for it: it computes
    kMemoryBandwidth,  ///< a command or the processor waits for bytes of DRAM (or L2-SRAM, DTCM)
    kMemoryLatency,    ///< it waits for the first or last byte of such a memory
    kBankConflict,     ///< operands in the same bank of local memory
    kIdle,             ///< nothing to do: before and after the kernel's work
};
inline constexpr std::size_t kCauses = 8;
/// "busy", "other engine", ...
const char* cause_name(Cause cause);

/// Kinds of work: one per timing class of commands, two for the control processor.
inline constexpr std::size_t kWorkClasses =
    static_cast<std::size_t>(isa::TimingClass::kSequence) + 3;
/// "convolution", "copy", ..., "writing commands", "other calls".
const char* work_class_name(std::size_t work_class);

/// Busy time and operations of an engine by kind of work. Few kinds occur, so only those are kept.
class WorkList {
 public:
    struct Entry {
        std::size_t work_class;
        models::Picoseconds time;
        std::uint64_t operations;  ///< see models/bdc/bdc_work.h; the BDC's alone
        bool operator==(const Entry&) const = default;
    };

    void add(std::size_t work_class, models::Picoseconds time, std::uint64_t operations = 0);
    void add(const WorkList& other);
    /// Busy time of one kind.
    models::Picoseconds operator[](std::size_t work_class) const;
    models::Picoseconds total() const;
    std::uint64_t operations() const;
    /// Whatever the order in which the kinds came.
    bool operator==(const WorkList& other) const;

    std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
    std::vector<Entry>::const_iterator end() const { return entries_.end(); }

 private:
    std::vector<Entry> entries_;  ///< in the order of first use
};

/// Time of one engine by cause, and its busy time by kind of work.
struct EngineAccount {
    std::array<models::Picoseconds, kCauses> by_cause{};
    WorkList busy;
    std::uint64_t commands = 0;

    models::Picoseconds operator[](Cause cause) const {
        return by_cause[static_cast<std::size_t>(cause)];
    }
    models::Picoseconds& operator[](Cause cause) {
        return by_cause[static_cast<std::size_t>(cause)];
    }
    /// Time that commands occupy the engine: all causes but waiting and idle.
    models::Picoseconds occupied() const;
    models::Picoseconds total() const;
};

/// Bytes of global memory that commands asked for.
struct DramTraffic {
    std::uint64_t read = 0;
    std::uint64_t written = 0;

    std::uint64_t total() const { return read + written; }
    void add(const DramTraffic& other) {
        read += other.read;
        written += other.written;
    }
};

/// A launch, several, or a part of one: what each engine's time went into. Every engine's total is
/// the span.
struct Account {
    static constexpr std::size_t kGdma = 0;
    static constexpr std::size_t kBdc = 1;
    static constexpr std::size_t kMcu = 2;

    std::string name;
    std::uint64_t launches = 0;
    models::Picoseconds span;  ///< from the host's launch call until its sync returns
    std::array<EngineAccount, 3> engines;
    DramTraffic dram;

    void add(const Account& other);
    /// InternalError unless every engine's causes add up to the span and its kinds of work to its
    /// busy time.
    void check_sums() const;
};
/// "GDMA", "BDC", "MCU".
const char* account_engine_name(std::size_t engine);

/// A stretch of an engine's time with one cause.
struct Stretch {
    std::size_t engine = 0;
    Cause cause = Cause::kIdle;
    std::size_t work_class = 0;  ///< when busy
    models::Picoseconds begin, end;
};

/// What one command did: the times between its engine's last command and its own end by cause.
struct CommandAccount {
    std::array<models::Picoseconds, kCauses> by_cause{};
    std::uint64_t operations = 0;
    DramTraffic dram;

    models::Picoseconds operator[](Cause cause) const {
        return by_cause[static_cast<std::size_t>(cause)];
    }
};

/// Follows an Accountant at work. The stretches of an engine follow one another without gaps.
class AccountListener {
 public:
    virtual ~AccountListener() = default;
    /// A launch begins; `name` is empty when nobody has named it.
    virtual void launch_begun(const std::string& name) { (void)name; }
    virtual void spent(const Stretch& stretch) { (void)stretch; }
    /// After the command's stretches.
    virtual void accounted(const isa::Command& command, const models::CommandTimes& times,
                           const CommandAccount& account) {
        (void)command;
        (void)times;
        (void)account;
    }
    /// After all stretches of the launch but those of the host's launch and sync.
    virtual void launch_accounted(const Account& account) { (void)account; }
};

/// Accounts for every launch of a machine while it runs. Sums are checked when a launch ends: an
/// InternalError means that a moment has no cause or two.
class Accountant : public models::CommandObserver {
 public:
    explicit Accountant(const models::MachineParams& machine)
        : host_(machine.host), shape_(machine.shape()) {}

    /// Names the launches to come, in their order.
    void name_launch(std::string name) { names_.push_back(std::move(name)); }
    /// The listener must outlive the accountant's last launch.
    void add_listener(AccountListener& listener) { listeners_.push_back(&listener); }

    const std::vector<Account>& launches() const { return launches_; }
    /// Sum of all launches.
    Account total() const;

    void launch_started(models::Picoseconds time) override;
    void launch_finished(models::Picoseconds time) override;
    void retired(const isa::Command& command, const models::CommandTimes& times) override;
    void processor(models::ProcessorState state, models::Picoseconds begin,
                   models::Picoseconds end) override;

 private:
    /// Of the processor: for an engine without a command, why.
    struct Interval {
        models::Picoseconds begin, end;
        Cause cause;
    };

    EngineAccount& account(std::size_t engine) { return current_.engines[engine]; }
    void add(std::size_t engine, Cause cause, models::Picoseconds duration,
             std::size_t work_class = 0);
    void add_busy(std::size_t engine, std::size_t work_class, models::Picoseconds duration);
    /// Operations and traffic of a command.
    void count_work(const isa::Command& command, CommandAccount& account);
    /// An engine had no command from `until_` to `queued`: because the processor waited, computed,
    /// or was slow.
    void add_empty_queue(std::size_t engine, models::Picoseconds queued);

    models::HostParams host_;
    isa::MachineShape shape_;
    std::vector<AccountListener*> listeners_;
    std::deque<std::string> names_;
    std::vector<Account> launches_;
    Account current_;
    CommandAccount command_;  ///< of the command that is being accounted for
    models::Picoseconds start_;
    std::array<models::Picoseconds, 3> until_;   ///< accounted so far
    std::array<std::deque<Interval>, 2> apart_;  ///< other than slow, beyond `until_`
};

/// Forms of an account for reports: a table, an object, rows
/// "launch,name,engine,cause,class,us,percent".
std::string account_text(const Account& account);
nlohmann::ordered_json account_json(const Account& account);
std::string account_csv(const std::vector<Account>& accounts);

/// Columns of a table with one account per row, each behind a comma: ",gdma_busy_us", ..., and the
/// microseconds.
std::string account_column_names();
std::string account_columns(const Account& account);
/// Text as a field of CSV, quoted when it has to be.
std::string csv_field(std::string_view text);

}  // namespace okksim::sim::trace
