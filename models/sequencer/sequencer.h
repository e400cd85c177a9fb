// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/command.h"
#include "models/common/command_times.h"
#include "models/dram/memory_system.h"
#include "models/memory/banks.h"
#include "models/sequencer/command_queue.h"

namespace okksim::models {

/// One engine of a machine: a row of its list of engines.
struct EngineEntry {
    std::string name;  ///< "gdma", "bdc", "bdc1": unique in the machine
    isa::Engine kind = isa::Engine::kGdma;
    std::size_t queue_depth = 0;  ///< commands that it holds, the one under way included
    bool asks_memories = false;   ///< true if `cost` asks the memories
    /// Returns the time of a command that starts at `start`; asks the memories once for each
    /// access.
    std::function<CommandCost(const isa::Command&, Picoseconds start, MemorySystem&)> cost;
};

/// Order of events in time, without modules and memories: queues of finite depth, in-order start
/// once dependencies are complete, bank interference in local memory, retirement. Any number of
/// engines; the rules are in README.md.
///
/// The driver carries out next_event() at its time: the fast machine at once, the SystemC chip when
/// simulated time has come. No other code decides about time, so both have the same times in the
/// same order.
class Sequencer {
 public:
    struct Event {
        enum class Kind : std::uint8_t { kStart, kFinish };
        Picoseconds time;
        std::size_t engine;
        Kind kind;
    };

    /// `interference`: share of the common-bank time that the command issued later loses.
    Sequencer(std::vector<EngineEntry> engines, const isa::MachineShape& machine,
              double interference);

    std::size_t engine_count() const { return engines_.size(); }
    const EngineEntry& entry(std::size_t engine) const { return engines_[engine].entry; }
    /// Returns the engine of the command. Throws ConfigError if the machine lacks it.
    std::size_t engine_of(const isa::Command& command) const;
    bool has_room(std::size_t engine) const {
        return engines_[engine].queue.size() < engines_[engine].entry.queue_depth;
    }
    /// True if every submitted command has retired.
    bool is_idle() const { return open_ == 0; }
    /// Number of retired commands so far. Commands that restart() has discarded count as retired.
    std::uint64_t retired() const { return numbers_ - open_; }
    bool is_running(std::size_t engine) const { return engines_[engine].is_running; }
    std::size_t queued(std::size_t engine) const { return engines_[engine].queue.size(); }

    /// Puts a command into the queue of its engine at `now`; the queue must have room. `engine`
    /// must be engine_of() the command. Ids ascend by one per kind of engine. The command may wait
    /// only for commands that were submitted before.
    void submit(std::size_t engine, const isa::Command& command, Picoseconds now);

    /// Returns the next event, if nothing is submitted before. Among simultaneous events the first
    /// engine's comes first. Returns nothing while all engines are empty or wait for replies of
    /// memories.
    std::optional<Event> next_event() const;
    /// Returns the time of the engine's next step, if known.
    std::optional<Picoseconds> next_time(std::size_t engine) const;
    /// Carries out a kStart event: computes the time of the engine's oldest command. The memories
    /// may let time pass before they reply; meanwhile all methods may be called for other engines.
    void start(std::size_t engine, MemorySystem& memories);
    /// Carries out a kFinish event. Returns true if the command's time is over. Returns false if it
    /// lasts longer because other commands used its banks; it then finishes once more.
    bool finish(std::size_t engine);
    /// The current or next command of an engine and its times; valid until it retires.
    const isa::Command& command(std::size_t engine) const {
        return engines_[engine].queue.front().command;
    }
    const CommandTimes& times(std::size_t engine) const { return engines_[engine].times; }
    /// Removes a command whose time is over. Other commands may start, and its queue slot is free.
    void retire(std::size_t engine);

    /// Starts a new program: discards the rest of the last one; ids begin at 1 again.
    void restart();

 private:
    struct EngineState {
        EngineEntry entry;
        CommandQueue queue;  ///< its first element is the command that the engine executes
        CommandTimes times;
        bool is_running = false;
        bool stall_is_known = false;
        BankSet banks = 0;  ///< of the command under way, when engines interfere
        Picoseconds next;   ///< time of its next event
    };
    /// The engines of a kind and their common stream of ids.
    struct KindState {
        std::vector<std::size_t> engines;
        isa::CommandId submitted = 0;
        isa::CommandId complete = 0;  ///< everything up to here has retired
    };
    /// A command that retired while others were running.
    struct PastUse {
        BankUse use;
        std::uint64_t number;
        std::size_t engine;
    };

    bool may_start(const isa::Command& command) const;
    /// Records that the engine's oldest command starts now, if it can.
    void consider_start(EngineState& state);
    void complete(KindState& kind);
    /// Returns the time for which the engine's command uses banks of commands issued earlier.
    Picoseconds shared_time(std::size_t engine) const;
    /// Records the bank use of a command that ends, for commands that are still running.
    void remember(std::size_t engine);

    std::vector<EngineState> engines_;
    std::array<KindState, isa::kEngineKinds> kinds_;
    isa::MachineShape machine_;
    double interference_;
    std::vector<PastUse> past_;
    Picoseconds now_;
    std::size_t open_ = 0;       ///< submitted and not retired
    std::uint64_t numbers_ = 0;  ///< commands so far: their program order
};

}  // namespace okksim::models
