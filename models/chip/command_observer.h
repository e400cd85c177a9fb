// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "isa/command_port.h"
#include "models/common/units.h"
#include "models/dram/dram_timing.h"

namespace okksim::models {

/// What a command's time goes into, along its critical path.
struct CommandCost {
    Picoseconds work{};              ///< the engine itself: start-up, compute, ports, pieces
    Picoseconds memory_bandwidth{};  ///< a system memory streaming or changing rows
    Picoseconds memory_latency{};    ///< a system memory between request and data
    Picoseconds bank_conflict{};     ///< local memory serving others from the same bank

    Picoseconds total() const { return work + memory_bandwidth + memory_latency + bank_conflict; }
};

/// When each step of a command's life took place.
struct CommandTimes {
    Picoseconds queued;  ///< written to its queue by the control processor
    Picoseconds ready;   ///< head of its queue, engine free, dependencies complete
    Picoseconds start;
    Picoseconds end;   ///< the effect on memory takes place here
    CommandCost cost;  ///< adds up to end - start
};

/// What the control processor does during an interval.
enum class ProcessorState : std::uint8_t {
    kCommand,     ///< checks, encodes and writes a command
    kCall,        ///< calls that issue no command
    kComputing,   ///< what firmware says that it computes by itself
    kQueueFull,   ///< waits for room in a queue
    kEngineWait,  ///< waits until both engines are idle
    /// Waits until a memory has passed the bytes of its own load or store ...
    kMemoryBandwidth,
    kMemoryLatency,  ///< ... and for what lies between request and data of every line
};

/// Watches commands and the control processor without influencing them: traces, statistics,
/// timelines, hazard checks.
class CommandObserver {
 public:
    virtual ~CommandObserver() = default;
    /// A command was written to its queue, in program order.
    virtual void submitted(const isa::Command& command) { (void)command; }
    /// A command is complete; its effect on memory is visible.
    virtual void retired(const isa::Command& command, const CommandTimes& times) {
        (void)command;
        (void)times;
    }
    /// A program begins; command ids restart from 1.
    virtual void launch_started(Picoseconds time) { (void)time; }
    /// The program has returned and both engines are idle.
    virtual void launch_finished(Picoseconds time) { (void)time; }
    /// `count` equal calls that issue no command, in program order.
    virtual void charged(isa::FirmwareCall call, std::uint64_t count) {
        (void)call;
        (void)count;
    }
    /// Computing of the control processor's own, in program order.
    virtual void computed(const isa::Computation& computation) { (void)computation; }
    /// A wait for both engines, in program order.
    virtual void polled() {}
    /// A load or store of the control processor's own, in program order, before the intervals in
    /// which it waits for it.
    virtual void accessed(const isa::ProcessorAccess& access) { (void)access; }
    /// The control processor was in `state`; intervals follow one another and are not empty.
    virtual void processor(ProcessorState state, Picoseconds begin, Picoseconds end) {
        (void)state;
        (void)begin;
        (void)end;
    }
    /// A channel of global memory serves its part of a request; told when the request is made, so
    /// the interval may lie in the future. A channel's intervals follow one another in order:
    /// what takes turns with a request under way is told as if it came behind that.
    virtual void memory_channel(const ChannelUse& use) { (void)use; }
};

}  // namespace okksim::models
