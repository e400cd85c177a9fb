// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/chip/machine_params.h"
#include "models/common/units.h"
#include "models/dram/dram_timing.h"

/// What work takes of the units of a machine at least, by their own laws.
namespace okksim::sim::bound {

/// Work of the compute engines.
struct ComputeNeed {
    std::int64_t cycles = 0;    ///< beside start-ups, of one engine
    std::int64_t commands = 0;  ///< at least so many
    void add(const ComputeNeed& other) {
        cycles += other.cycles;
        commands += other.commands;
    }
    void remove(const ComputeNeed& other) {
        cycles -= other.cycles;
        commands -= other.commands;
    }
};

/// Work of the data mover.
struct TrafficNeed {
    std::uint64_t read = 0, written = 0;  ///< bytes of global memory
    std::int64_t loads = 0, stores = 0;   ///< at least so many commands
    /// Beside all this: rows of DRAM, and elements that change their order on the way.
    models::Picoseconds more{};
    std::int64_t others = 0;  ///< commands whose time is in `more`
    void add(const TrafficNeed& other) {
        read += other.read;
        written += other.written;
        loads += other.loads;
        stores += other.stores;
        more += other.more;
        others += other.others;
    }
    void remove(const TrafficNeed& other) {
        read -= other.read;
        written -= other.written;
        loads -= other.loads;
        stores -= other.stores;
        more = more - other.more;
        others -= other.others;
    }
    std::int64_t commands() const { return loads + stores + others; }
};

/// Work of who brings the commands to their engines.
struct IssueNeed {
    std::int64_t commands = 0;
    std::int64_t instructions = 0;  ///< of firmware's own computing, beside that of every command
    std::int64_t steps = 0;         ///< kernels and layer groups
    std::int64_t sections = 0;      ///< in which engines work at the same time
    void add(const IssueNeed& other) {
        commands += other.commands;
        instructions += other.instructions;
        steps += other.steps;
        sections += other.sections;
    }
};

class EngineTimes {
 public:
    /// `begins_idle`: firmware begins with asking whether the engines are.
    explicit EngineTimes(const models::MachineParams& machine, bool begins_idle = false)
        : machine_(machine), begins_idle_(begins_idle) {}

    /// All compute engines together.
    models::Picoseconds compute(const ComputeNeed& need) const;
    /// Set-up, latency, and the bytes at the rate of the wider of port and memory with all of its
    /// channels.
    models::Picoseconds traffic(const TrafficNeed& need) const;
    /// A request to memory whose bytes lie evenly over all channels, from set-up to its end.
    models::Picoseconds request(const models::MemoryRequest& request,
                                models::MemoryDirection direction) const;
    /// Rows of DRAM that are opened for a value that passes the data mover as a whole. Gaps between
    /// runs may spare them, but what lies there then takes a command more.
    models::Picoseconds rows(const TrafficNeed& value) const;
    /// A value of so many elements of 32 bits is loaded and stored.
    models::Picoseconds copy(std::int64_t elements) const;
    /// What pieces of one element of 32 bits take beside all else.
    models::Picoseconds pieces_of_one(std::int64_t elements) const;

    /// From the launch's first instruction to when all commands are with their engines; they come
    /// by calls or, where the machine fetches lists, by one of those for every step.
    models::Picoseconds issue(const IssueNeed& need) const;
    /// After the engines are done.
    models::Picoseconds poll() const;
    /// The shorter of a command of either engine.
    models::Picoseconds least_command() const;
    /// Commands that `bytes` need where one reaches no more than all of local memory.
    std::int64_t pieces(std::uint64_t bytes) const;

 private:
    models::Picoseconds command(models::MemoryDirection direction) const;
    models::Picoseconds stream(std::uint64_t bytes, models::MemoryDirection direction) const;

    const models::MachineParams& machine_;
    bool begins_idle_;
};

}  // namespace okksim::sim::bound
