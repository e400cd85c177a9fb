// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "isa/base/fault.h"
#include "isa/command.h"
#include "models/dram/transfer_extension.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// Global memory outside the chip. It replaces the MemoryTarget and forwards the requests of the
/// chip's units to the memory bound to `out`, whose addresses start at 0.
///
/// A memory that knows TransferExtension (DramLaw) replies with the time of whole requests. Any
/// other memory gets ordinary transactions with data, in sequence, of at most `burst_bytes`; it may
/// annotate delay or wait. With direct access to all of the memory, commands and firmware pointers
/// use it. Otherwise SystemMemory mirrors the data that the chip reads and writes:
/// models/dram/README.md.
class ExternalMemory : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket_optional<ExternalMemory> in{"in"};
    tlm_utils::simple_initiator_socket_optional<ExternalMemory> out{"out"};

    /// Carries out a command's effect on SystemMemory and the lanes.
    using Effect = std::function<void(const isa::Command&)>;
    /// Receives faults for accesses that the external memory refuses.
    using FaultSink = std::function<void(FaultRecord)>;

    /// Serves the first memory of `shape`, global memory. Throws ConfigError at elaboration if
    /// `is_used` and nothing is bound to `out`, or a memory that is too small. Throws ConfigError
    /// also if a memory is bound but not used.
    ExternalMemory(const sc_core::sc_module_name& name, const isa::MachineShape& shape,
                   SystemMemory& memory, bool is_used, std::uint64_t burst_bytes);

    void set_effect(Effect effect) { effect_ = std::move(effect); }
    void set_fault_sink(FaultSink sink) { fault_sink_ = std::move(sink); }

    /// Returns true, once, if the command's effect took place when its time was computed.
    bool took_effect(const isa::Command& command);
    /// Writes the control processor's pending stores from the mirror. Call it when a program has
    /// ended; every request does so before.
    void write_back();

 private:
    /// [address, address + bytes) of global memory, by system address.
    struct Run {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
    };

    void end_of_elaboration() override;
    void start_of_simulation() override;
    void check_size();
    void seek_direct_access();

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last);
    /// Ends direct access: applies the effects of pending commands; the mirror takes over.
    void end_direct_access();
    bool enter(tlm::tlm_generic_payload& payload) const;

    void serve(TransferExtension& transfer, sc_core::sc_time& delay);
    /// Remembers a command under direct access until it is done.
    void note_direct(const TransferExtension& transfer);
    /// Asks once if the external memory prices whole requests.
    bool prices_requests();
    void price_outside(TransferExtension& transfer, sc_core::sc_time& delay);
    /// Copies the data that a transfer needs or produces; adds its time to `delay`.
    void move_data(const TransferExtension& transfer, sc_core::sc_time& delay);
    /// Copies the bytes of a transfer between external memory and SystemMemory.
    void move_runs(const TransferExtension& transfer, tlm::tlm_command command,
                   sc_core::sc_time& delay);
    void move_run(const Run& run, tlm::tlm_command command, sc_core::sc_time& delay);
    void move_burst(const Run& burst, tlm::tlm_command command, sc_core::sc_time& delay);
    void report(const Run& burst, const tlm::tlm_generic_payload& payload);

    isa::MachineShape shape_;
    isa::MemoryRegion region_;
    SystemMemory& memory_;
    bool is_used_;
    std::uint64_t burst_bytes_;
    Effect effect_;
    FaultSink fault_sink_;
    bool is_direct_ = false;  ///< all of the memory outside may be accessed directly
    std::optional<bool> prices_requests_;
    /// Commands under direct access whose time is known and whose effect is pending.
    std::vector<isa::Command> under_way_;
    std::vector<isa::Command> effects_taken_;  ///< effects that took place before the command's end
    std::optional<TransferExtension> direct_access_;  ///< the processor's last one
    std::vector<Run> stored_;  ///< by the control processor, in the mirror alone
};

}  // namespace okksim::models
