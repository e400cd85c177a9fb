// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <vector>

#include "isa/command_port.h"
#include "models/chip/command_observer.h"
#include "models/common/units.h"
#include "models/dram/transfer_extension.h"
#include "models/mcu/mcu_params.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"
#include "models/sync/sync_unit.h"

namespace okksim::models {

/// The control processor: runs host-compiled firmware programs one after the other in an SC_THREAD
/// and is their CommandPort. Every call costs modelled time, which is spent before the next
/// interaction that another unit can see (command write, poll, load or store of its own).
class Mcu : public sc_core::sc_module, public isa::CommandPort {
 public:
    tlm_utils::simple_initiator_socket<Mcu> gdma_out{"gdma_out"};
    tlm_utils::simple_initiator_socket<Mcu> bdc_out{"bdc_out"};
    tlm_utils::simple_initiator_socket<Mcu> mem_out{"mem_out"};

    /// One kernel launch: the body runs on the MCU; `finished` is called when it has returned and
    /// both engines are idle.
    struct Program {
        std::function<void(isa::CommandPort&)> body;
        std::function<void(Picoseconds start, Picoseconds end)> finished;
    };

    Mcu(const sc_core::sc_module_name& name, const McuParams& params, const HostParams& host,
        const isa::MachineShape& shape, SyncUnit& sync, LocalMemory& local, SystemMemory& system);

    /// Queues a program; it starts `launch_nanoseconds` after the previous one has ended.
    void launch(Program program);

    /// Watches programs and the processor's states; must outlive the simulation.
    void add_observer(CommandObserver& observer) { observers_.push_back(&observer); }

    const isa::MachineShape& machine() const override { return shape_; }
    void submit(const isa::Command& command) override;
    void wait_until_idle() override;
    void charge(isa::FirmwareCall call) override;
    void compute(const isa::Computation& computation) override;
    void access(const isa::ProcessorAccess& access) override;
    void* local_pointer(isa::LocalAddr addr) override;
    void* system_pointer(std::uint64_t addr) override;

 private:
    void run();
    /// Lets simulated time catch up with the cost of the calls made so far.
    void spend();
    void wait_for_engines();
    /// Lets everything happen that the other modules do at the present time.
    void let_others_act();
    /// Tells the observers about an interval that ends now.
    void report(ProcessorState state, Picoseconds begin, Picoseconds end) const;

    McuParams params_;
    HostParams host_;
    isa::MachineShape shape_;
    Clock clock_;
    SyncUnit& sync_;
    LocalMemory& local_;
    SystemMemory& system_;
    std::deque<Program> programs_;
    sc_core::sc_event launched_;
    std::vector<CommandObserver*> observers_;
    Cycles calls_;      ///< made and not spent
    Cycles computing_;  ///< told of and not spent
    tlm::tlm_generic_payload payload_;
    TransferSender transfers_;
};

}  // namespace okksim::models
