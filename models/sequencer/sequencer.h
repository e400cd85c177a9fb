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
    bool asks_memories = false;   ///< whether `cost` asks them
    /// What a command that starts at `start` takes; asks the memories once for each access.
    std::function<CommandCost(const isa::Command&, Picoseconds start, MemorySystem&)> cost;
};

/// The order of things in time, without modules and memories: queues of finite depth, in-order
/// start once dependencies are complete, interference in banks of local memory, retirement. Any
/// number of engines; rules in README.md.
///
/// Whoever drives it does what next_event() says, when its time has come: the fast machine at once,
/// the modules of the SystemC chip when simulated time is there. Nothing else decides about time,
/// so both see the same times, in the same order.
class Sequencer {
 public:
    struct Event {
        enum class Kind : std::uint8_t { kStart, kFinish };
        Picoseconds time;
        std::size_t engine;
        Kind kind;
    };

    /// `interference`: share of the time in which engines use a common bank that the command issued
    /// later loses.
    Sequencer(std::vector<EngineEntry> engines, const isa::MachineShape& machine,
              double interference);

    std::size_t engine_count() const { return engines_.size(); }
    const EngineEntry& entry(std::size_t engine) const { return engines_[engine].entry; }
    /// The engine that carries out the command. ConfigError when the machine has none.
    std::size_t engine_of(const isa::Command& command) const;
    bool has_room(std::size_t engine) const {
        return engines_[engine].queue.size() < engines_[engine].entry.queue_depth;
    }
    /// Every submitted command has retired.
    bool is_idle() const { return open_ == 0; }
    /// Commands that have, ever, unless a new program has made that unknown.
    std::uint64_t retired() const { return numbers_ - open_; }
    bool is_running(std::size_t engine) const { return engines_[engine].is_running; }
    std::size_t queued(std::size_t engine) const { return engines_[engine].queue.size(); }

    /// Puts a command into the queue of engine_of() it, which has room, at `now`. Ids ascend by one
    /// per kind of engine; it waits only for commands that have been submitted before it.
    void submit(std::size_t engine, const isa::Command& command, Picoseconds now);

    /// What happens next unless something is submitted first; of several at one time the one of the
    /// first engine. Nothing while all engines are empty or wait for their memories' replies.
    std::optional<Event> next_event() const;
    /// When the engine itself has something to do, if that is known.
    std::optional<Picoseconds> next_time(std::size_t engine) const;
    /// Carries out a kStart event: prices the engine's oldest command. The memories may let time
    /// pass before they reply; meanwhile others may call every method, for other engines.
    void start(std::size_t engine, MemorySystem& memories);
    /// Carries out a kFinish event: true when the command's time is over. False when it lasts
    /// longer because others used its banks; it will finish once more.
    bool finish(std::size_t engine);
    /// The command under way, or next, and its times; until it retires.
    const isa::Command& command(std::size_t engine) const {
        return engines_[engine].queue.front().command;
    }
    const CommandTimes& times(std::size_t engine) const { return engines_[engine].times; }
    /// Removes a command whose time is over: others may start, its place in the queue is free.
    void retire(std::size_t engine);

    /// A new program: forgets what is left of the last one, ids begin at 1 again.
    void restart();

 private:
    struct EngineState {
        EngineEntry entry;
        CommandQueue queue;  ///< the command under way is its front
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
    /// A command that retired while others were under way.
    struct PastUse {
        BankUse use;
        std::uint64_t number;
        std::size_t engine;
    };

    bool may_start(const isa::Command& command) const;
    /// Notes that the engine's oldest command starts now, if it can.
    void consider_start(EngineState& state);
    void complete(KindState& kind);
    /// Time for which the engine's command works on banks that commands issued earlier use.
    Picoseconds shared_time(std::size_t engine) const;
    /// Keeps the use of banks of a command that ends, for those that are under way.
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
