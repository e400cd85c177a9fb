// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/instructions.h"
#include "models/common/units.h"
#include "models/energy/event_counts.h"
#include "sim/trace/engine_list.h"

namespace okksim::sim::trace {

/// Reason for which an engine spends a moment. Every moment of a launch has exactly one cause.
enum class Cause : std::uint8_t {
    kBusy,         ///< the engine works
    kOtherEngine,  ///< a command waits for another engine, or the processor waits for all engines
    kQueue,        ///< empty queue: the processor is slow; for the processor: the queue is full
    kComputing,    ///< empty queue: the processor computes; for the processor: it computes
    kMemoryBandwidth,  ///< a command or the processor waits for bytes of DRAM, L2-SRAM or DTCM
    kMemoryLatency,    ///< a command or the processor waits for the latency of such a memory
    kBankConflict,     ///< operands are in the same bank of local memory
    kIdle,             ///< no work: before and after the kernel's commands
};
inline constexpr std::size_t kCauses = 8;
/// "busy", "other engine", ...
const char* cause_name(Cause cause);

/// Kinds of work: one per timing class of commands, and two for the control processor.
inline constexpr std::size_t kWorkClasses = isa::kTimingClasses.size() + 2;
inline constexpr std::size_t kWritingCommands = kWorkClasses - 2;
inline constexpr std::size_t kOtherCalls = kWorkClasses - 1;
/// "convolution", "copy", ..., "writing commands", "other calls".
const char* work_class_name(std::size_t work_class);

/// Busy time and operations of an engine by kind of work. The list holds only the kinds that occur.
class WorkList {
 public:
    struct Entry {
        std::size_t work_class;
        models::Picoseconds time;
        std::uint64_t operations;  ///< of BDC commands only; see models/bdc/bdc_work.h
        bool operator==(const Entry&) const = default;
    };

    void add(std::size_t work_class, models::Picoseconds time, std::uint64_t operations = 0);
    void add(const WorkList& other);
    /// Returns the busy time of one kind.
    models::Picoseconds operator[](std::size_t work_class) const;
    models::Picoseconds total() const;
    std::uint64_t operations() const;
    /// Compares the contents; the order of first use does not matter.
    bool operator==(const WorkList& other) const;

    std::vector<Entry>::const_iterator begin() const { return entries_.begin(); }
    std::vector<Entry>::const_iterator end() const { return entries_.end(); }

 private:
    std::vector<Entry> entries_;  ///< in the order of first use
};

/// Time of one engine by cause, and its busy time by kind of work.
struct EngineAccount {
    ListedEngine engine;
    std::array<models::Picoseconds, kCauses> by_cause{};
    WorkList busy;
    std::uint64_t commands = 0;

    models::Picoseconds operator[](Cause cause) const {
        return by_cause[static_cast<std::size_t>(cause)];
    }
    models::Picoseconds& operator[](Cause cause) {
        return by_cause[static_cast<std::size_t>(cause)];
    }
    /// Time that commands occupy the engine: all causes except waiting and idle.
    models::Picoseconds occupied() const;
    models::Picoseconds total() const;
};

/// Bytes of global memory that commands read and write.
struct DramTraffic {
    std::uint64_t read = 0;
    std::uint64_t written = 0;

    std::uint64_t total() const { return read + written; }
    void add(const DramTraffic& other) {
        read += other.read;
        written += other.written;
    }
};

/// The time of each engine by cause, for one launch, several launches, or a part of one. Every
/// engine's total equals `span`.
struct Account {
    /// An empty account; add() gives it engines.
    Account() = default;
    explicit Account(const EngineList& list);

    std::string name;
    std::uint64_t launches = 0;
    models::Picoseconds span;            ///< from the host's launch call until its sync returns
    std::vector<EngineAccount> engines;  ///< in the order of the machine's EngineList
    DramTraffic dram;
    /// Events that cost energy, without the control processor's time; event_counts() includes it.
    models::energy::EventCounts events;

    models::energy::EventCounts event_counts() const;
    /// Returns the control processor's account. The account must have engines.
    EngineAccount& processor() { return engines.back(); }
    const EngineAccount& processor() const { return engines.back(); }
    /// Adds another account of the same machine.
    void add(const Account& other);
    /// Throws InternalError unless every engine's causes add up to the span and its kinds of work
    /// to its busy time.
    void check_sums() const;
};
}  // namespace okksim::sim::trace
