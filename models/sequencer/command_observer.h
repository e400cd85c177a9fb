// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "isa/command_port.h"
#include "models/common/command_times.h"
#include "models/dram/memory_system.h"

namespace okksim::models {

/// Activity of the control processor during an interval.
enum class ProcessorState : std::uint8_t {
    kCommand,     ///< checks, encodes and writes a command
    kCall,        ///< calls that issue no command
    kComputing,   ///< the firmware's own arithmetic
    kQueueFull,   ///< waits for room in a queue
    kEngineWait,  ///< waits until both engines are idle
    /// Waits until a memory has transferred the bytes of a load or store ...
    kMemoryBandwidth,
    kMemoryLatency,  ///< ... and for the latency between request and data of every line
};

/// Watches commands and the control processor without influencing them: traces, statistics,
/// timelines, hazard checks.
class CommandObserver : public ChannelObserver {
 public:
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
    /// Arithmetic of the control processor, in program order.
    virtual void computed(const isa::Computation& computation) { (void)computation; }
    /// A wait for both engines, in program order.
    virtual void polled() {}
    /// A load or store of the control processor, in program order, before the intervals of its
    /// wait.
    virtual void accessed(const isa::ProcessorAccess& access) { (void)access; }
    /// The control processor was in `state`; intervals follow one another and are not empty.
    virtual void processor(ProcessorState state, Picoseconds begin, Picoseconds end) {
        (void)state;
        (void)begin;
        (void)end;
    }
};

}  // namespace okksim::models
