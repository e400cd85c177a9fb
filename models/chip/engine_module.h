// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/interconnect/tlm_memories.h"
#include "models/mcu/clockwork.h"
#include "models/sequencer/command_observer.h"
#include "models/sequencer/sequencer.h"

namespace okksim::models {

/// An engine of a sequencer as a module, for every kind of engine. It waits for its turn and
/// carries out the sequencer's steps. At the end time of a command it applies the effect and
/// notifies the observers. It asks the memories at `mem_out`, which may let time pass before they
/// reply.
///
/// `cmd_in.b_transport` takes one isa::Command as payload; the queue must have room.
class EngineModule : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket<EngineModule> cmd_in{"cmd_in"};
    tlm_utils::simple_initiator_socket<EngineModule> mem_out{"mem_out"};

    /// Called at a command's completion time; empty in timing-only runs.
    using Effect = std::function<void(const isa::Command&)>;

    EngineModule(const sc_core::sc_module_name& name, std::size_t engine, Sequencer& sequencer,
                 Clockwork& clockwork);

    void set_effect(Effect effect) { effect_ = std::move(effect); }
    void add_observer(CommandObserver& observer) { observers_.push_back(&observer); }
    /// Adds the engine's state to a trace file: busy, queue depth, id of the current command.
    void trace(sc_core::sc_trace_file* file) const;

 private:
    /// The process: a method, or a thread if the memories may let time pass.
    void run();
    void run_and_ask();
    /// Performs a due step. Returns false if none is due.
    bool step();
    void act(Sequencer::Event::Kind kind);
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    const std::size_t engine_;
    Sequencer& sequencer_;
    Clockwork& clockwork_;
    TlmMemories<tlm_utils::simple_initiator_socket<EngineModule>> memories_{mem_out};
    Effect effect_;
    std::vector<CommandObserver*> observers_;
    // Signals for trace files.
    bool running_ = false;
    sc_dt::uint64 depth_ = 0;
    sc_dt::uint64 command_ = 0;  ///< id of the command under way, or the last one
};

}  // namespace okksim::models
