// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <systemc>
#include <vector>

#include "isa/base/fault.h"
#include "isa/base/finding.h"
#include "models/chip/chip_options.h"
#include "models/chip/engine_module.h"
#include "models/chip/machine_params.h"
#include "models/common/lane_pool.h"
#include "models/dram/external_memory.h"
#include "models/dram/memory_target.h"
#include "models/host/host_interface.h"
#include "models/interconnect/interconnect.h"
#include "models/mcu/mcu.h"
#include "models/memory/lane_array.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"
#include "models/sequencer/command_observer.h"

namespace okksim::models {

class Diagnostics;

/// Chip top: memories, interconnect, engines, control processor, wired by the machine's parameters.
class Chip : public sc_core::sc_module {
    // Before the modules that refer to them.
    LocalMemory local_;
    SystemMemory system_;
    LanePool pool_;

 public:
    Mcu mcu;
    std::vector<std::unique_ptr<EngineModule>> engines;  ///< in the order of engine_entries()
    Interconnect interconnect;
    /// In the order of memory_entries(); global memory is first.
    std::vector<std::unique_ptr<MemoryTarget>> memories;
    LaneArray lanes;
    ExternalMemory external;  ///< socket `out`: global memory outside the chip
    HostInterface host;       ///< socket `in`: memories and registers for a host

    /// Throws ConfigError when the options contradict one another or the machine.
    Chip(const sc_core::sc_module_name& name, const MachineParams& params,
         const ChipOptions& options);
    ~Chip() override;

    LocalMemory& local_memory() { return local_; }
    SystemMemory& system_memory() { return system_; }

    /// Copies to or from the memory that holds the address by transport_dbg. The address is in a
    /// system memory, or in a lane (from okk_local_mem_start_addr() on). Takes no simulated time;
    /// elaboration must be over. Throws ProgramFault when the bytes are not in one memory.
    void write_memory(std::uint64_t address, std::span<const std::byte> bytes);
    void read_memory(std::uint64_t address, std::span<std::byte> bytes);

    /// Watches the commands of all engines and the control processor; the observer must outlive
    /// the simulation.
    void add_observer(CommandObserver& observer);

    /// The first fault that a command raised when it took effect. Later commands keep their time
    /// but have no effect, so memory shows the state at the fault.
    const std::optional<FaultRecord>& fault() const { return fault_; }
    void clear_fault() { fault_.reset(); }

    /// Returns the probable mistakes since the last call: findings of the firmware first, then
    /// those of the diagnostics, if enabled.
    std::vector<Finding> take_findings();
    /// Announces that the reader of results calls host_reads(), which reports uninitialised values
    /// in them. Without this call, commands that store such values into global memory are reported.
    void watch_results();
    std::optional<Finding> host_reads(std::uint64_t address, std::uint64_t bytes);
    /// Announces a host copy within system memory; `bytes` is the content at `from`.
    void copy_memory(std::uint64_t to, std::uint64_t from, std::span<const std::byte> bytes);
    /// The host gives bytes of one system memory to another user: they become uninitialised.
    void forget_memory(std::uint64_t address, std::uint64_t bytes);
    /// Returns the problem of an access of the control processor to memory, if any. `loads`: the
    /// access is known to be a load.
    std::optional<std::string> processor_looks(std::uint64_t address, std::uint64_t bytes,
                                               bool loads);
    std::optional<std::string> processor_looks(isa::LocalAddr address);
    /// Returns the problem of a load of a lane's bytes, if any.
    std::optional<std::string> processor_loads(isa::LocalAddr address, std::uint64_t bytes);
    /// Announces a store of the control processor.
    void processor_stored(isa::LocalAddr address, std::uint64_t bytes);
    void processor_stored(std::uint64_t address, std::uint64_t bytes);
    /// Announces that the control processor has copied uninitialised bytes there, by the code
    /// before `site`.
    void processor_copied(std::uint64_t address, std::uint64_t bytes, const void* site);
    /// Calls Diagnostics::watch_users(); does nothing without diagnostics.
    void watch_users(std::function<const void*()> issuing,
                     std::function<std::string(const void*)> describe);
    /// Calls Diagnostics::keep_local_memory(); does nothing without diagnostics.
    void keep_local_memory();
    void add_finding(Finding finding) { added_findings_.push_back(std::move(finding)); }
    /// Starts a host copy to or from global memory now. Returns the time of its channels.
    Picoseconds host_copy(std::uint64_t address, std::uint64_t bytes, MemoryDirection direction);

 private:
    /// Writes the control processor's pending stores to external memory when a program has ended.
    struct StoreKeeper : CommandObserver {
        explicit StoreKeeper(ExternalMemory& memory) : memory(memory) {}
        void launch_finished(Picoseconds) override { memory.write_back(); }
        ExternalMemory& memory;
    };

    void wire(const MachineParams& params, const ChipOptions& options);
    void set_effects();
    void keep_fault(FaultRecord fault);
    void apply(const isa::Command& command);
    void access_memory(tlm::tlm_command command, std::uint64_t address, std::byte* bytes,
                       std::size_t count);

    tlm_utils::simple_initiator_socket<Chip> debug_out_{"debug_out"};
    std::vector<MemoryTarget*> observed_memories_;  ///< observers hear of their channels
    std::unique_ptr<Diagnostics> diagnostics_;
    std::vector<Finding> added_findings_;
    std::optional<FaultRecord> fault_;
    StoreKeeper store_keeper_{external};
};

}  // namespace okksim::models
