// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/chip/machine_params.h"
#include "models/common/units.h"
#include "models/dram/dram_timing.h"

/// Lower bounds of the time that each unit of a machine needs for its work, by the unit's cost
/// model.
namespace okksim::sim::bound {

/// Work of the compute engines.
struct ComputeNeed {
    std::int64_t cycles = 0;    ///< of one engine, without start-ups
    std::int64_t commands = 0;  ///< lower bound
    void add(const ComputeNeed& other) {
        cycles += other.cycles;
        commands += other.commands;
    }
    void remove(const ComputeNeed& other) {
        cycles -= other.cycles;
        commands -= other.commands;
    }
};

/// Work of the GDMA.
struct TrafficNeed {
    std::uint64_t read = 0, written = 0;  ///< bytes of global memory
    std::int64_t loads = 0, stores = 0;   ///< lower bounds of the numbers of commands
    /// Additional time: opening rows of DRAM, and elements that change their order.
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

/// Work of the unit that passes commands to the engines: the control processor or the list fetcher.
struct IssueNeed {
    std::int64_t commands = 0;
    std::int64_t instructions = 0;  ///< instructions of firmware, without those charged per command
    std::int64_t steps = 0;         ///< kernels and layer groups
    std::int64_t sections = 0;      ///< sections whose engines run in parallel
    void add(const IssueNeed& other) {
        commands += other.commands;
        instructions += other.instructions;
        steps += other.steps;
        sections += other.sections;
    }
};

class EngineTimes {
 public:
    /// `begins_idle`: the firmware starts by polling until the engines are idle.
    explicit EngineTimes(const models::MachineParams& machine, bool begins_idle = false)
        : machine_(machine), begins_idle_(begins_idle) {}

    /// Returns the time with the work spread over all compute engines.
    models::Picoseconds compute(const ComputeNeed& need) const;
    /// Returns set-up, latency and transfer time. Bytes pass at the rate of the wider of port and
    /// memory, with all memory channels in use.
    models::Picoseconds traffic(const TrafficNeed& need) const;
    /// Returns the time from set-up to end of a request whose bytes are spread evenly over all
    /// channels.
    models::Picoseconds request(const models::MemoryRequest& request,
                                models::MemoryDirection direction) const;
    /// Returns the time to open the rows of DRAM for a value that one command transfers. A command
    /// that skips a gap may open fewer rows, but the gap's bytes then need another command.
    models::Picoseconds rows(const TrafficNeed& value) const;
    /// Returns the time to load and store a value of `elements` elements of 32 bits.
    models::Picoseconds copy(std::int64_t elements) const;
    /// Returns the additional time if each element of 32 bits is a separate piece of the transfer.
    models::Picoseconds pieces_of_one(std::int64_t elements) const;

    /// Returns the time from the launch's first instruction until the engines have all commands.
    /// Commands come by calls. If the machine fetches lists, each step uses the faster of a list
    /// and calls.
    models::Picoseconds issue(const IssueNeed& need) const;
    /// Returns the time of the final poll, after the engines are done.
    models::Picoseconds poll() const;
    /// Returns the shortest time of any command of any engine.
    models::Picoseconds least_command() const;
    /// Returns the number of commands for `bytes`, if one command transfers at most all of local
    /// memory.
    std::int64_t pieces(std::uint64_t bytes) const;

 private:
    models::Picoseconds command(models::MemoryDirection direction) const;
    models::Picoseconds stream(std::uint64_t bytes, models::MemoryDirection direction) const;

    const models::MachineParams& machine_;
    bool begins_idle_;
};

}  // namespace okksim::sim::bound
