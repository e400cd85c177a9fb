// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <functional>
#include <systemc>
#include <tlm>

#include "models/interconnect/tlm_memories.h"
#include "models/mcu/clockwork.h"
#include "models/mcu/processor.h"
#include "models/mcu/processor_program.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// The control processor as a module. It runs host-compiled firmware programs in sequence in an
/// SC_THREAD and is their CommandPort. Processor has the rules about time; this class lets
/// simulated time pass.
class Mcu : public sc_core::sc_module, public Processor {
 public:
    /// One binding per engine, in the sequencer's order.
    tlm_utils::multi_passthrough_initiator_socket<Mcu> cmd_out{"cmd_out"};
    tlm_utils::simple_initiator_socket<Mcu> mem_out{"mem_out"};

    Mcu(const sc_core::sc_module_name& name, const McuParams& params, const HostParams& host,
        const isa::MachineShape& shape, Sequencer sequencer, LocalMemory& local,
        SystemMemory& system);

    /// Queues a program, which starts `launch_nanoseconds` after the end of the previous one.
    void launch(ProcessorProgram program);
    /// Clockwork of the engines that step sequencer().
    Clockwork& clockwork() { return clockwork_; }

    void* local_pointer(isa::LocalAddr addr) override;
    void* system_pointer(std::uint64_t addr) override;
    void* system_bytes(std::uint64_t addr, std::uint64_t bytes) override;
    bool owns_pages() const override { return system_.is_own(); }
    bool shows_memory(std::uint64_t addr) const override { return !system_.is_mirror(addr); }

 private:
    void run();
    void pass_until(Picoseconds time) override;
    void pass_until_retirement() override;
    void deliver(std::size_t engine, const isa::Command& command) override;
    MemorySystem& memories() override { return memories_; }

    LocalMemory& local_;
    SystemMemory& system_;
    Clockwork clockwork_;
    std::deque<ProcessorProgram> programs_;
    sc_core::sc_event launched_;
    tlm::tlm_generic_payload payload_;
    TlmMemories<tlm_utils::simple_initiator_socket<Mcu>> memories_{mem_out};
};

}  // namespace okksim::models
