// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "isa/command.h"
#include "models/chip/bank_watch.h"
#include "models/chip/command_observer.h"
#include "models/common/units.h"
#include "models/sync/sync_unit.h"

namespace okksim::models {

/// What both engines share: a queue of finite depth that the control processor writes through
/// `cmd_in`, in-order start once the dependencies are complete, and retirement at the end time.
/// Derived engines say how long a command takes.
///
/// `cmd_in.b_transport` takes one isa::Command as payload and blocks the calling thread while the
/// queue is full (back-pressure), so it must be called from a thread process.
class Engine : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket<Engine> cmd_in{"cmd_in"};

    /// Effect on memory, called at a command's completion time; empty in timing-only runs.
    using Effect = std::function<void(const isa::Command&)>;

    Engine(const sc_core::sc_module_name& name, isa::Engine kind, std::size_t queue_depth,
           SyncUnit& sync);

    void set_effect(Effect effect) { effect_ = std::move(effect); }
    /// Charges commands for banks of local memory that the other engine uses at the same time. The
    /// watch is shared by both engines and must outlive them.
    void set_bank_watch(BankWatch& watch, const isa::MachineShape& machine, double interference);
    /// Adds the engine's state to a trace file: busy, queue depth, id of the command under way.
    void trace(sc_core::sc_trace_file* file) const;
    void add_observer(CommandObserver& observer) { observers_.push_back(&observer); }

    /// Time during which a command was under way.
    Picoseconds busy_time() const { return busy_; }
    std::uint64_t retired_commands() const { return retired_; }

 protected:
    /// Time of a command that starts now. Called once per command, in order.
    virtual CommandCost cost_of(const isa::Command& command) = 0;

 private:
    struct Entry {
        isa::Command command;
        Picoseconds queued;
        isa::CommandId other_submitted = 0;  ///< of the other engine, when this one was queued
    };

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void step();
    void start_head();
    void retire_head();
    /// Prolongs the command under way by what the other engine took of its banks, once.
    bool stalls();

    const isa::Engine kind_;
    const std::size_t queue_depth_;
    SyncUnit& sync_;
    Effect effect_;
    BankWatch* bank_watch_ = nullptr;
    isa::MachineShape machine_;
    double interference_ = 0;
    bool stall_known_ = false;
    std::vector<CommandObserver*> observers_;
    std::deque<Entry> queue_;  ///< the head stays here while it is under way
    bool running_ = false;
    sc_dt::uint64 depth_ = 0;    ///< of the queue, for traces
    sc_dt::uint64 command_ = 0;  ///< id of the command under way, or the last one, for traces
    CommandTimes times_;
    Picoseconds busy_;
    std::uint64_t retired_ = 0;
    sc_core::sc_event work_;
    sc_core::sc_event done_;
    sc_core::sc_event space_;
};

}  // namespace okksim::models
