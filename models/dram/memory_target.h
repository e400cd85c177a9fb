// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>
#include <vector>

#include "models/dram/dram_law.h"
#include "models/dram/memory_system.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// A system memory as a TLM target with data. An ordinary transaction copies its bytes and takes
/// the time of one request. A transaction with a TransferExtension takes the time for the extension
/// and copies nothing. Requests of several initiators share the bandwidth in order of arrival.
/// `b_transport` never waits: it adds the time to `delay`, so methods may call it. Debug accesses
/// take no time. Direct access is granted for the whole memory; its user must account for the time.
class MemoryTarget : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket_optional<MemoryTarget> in{"in"};

    /// Serves the addresses of `region`, whose bytes are in `memory`; `memory` must outlive the
    /// target.
    MemoryTarget(const sc_core::sc_module_name& name, const MemoryPort& port,
                 const isa::MemoryRegion& region, SystemMemory& memory);

    /// Serves a request that bypasses the interconnect (host copies), now.
    MemoryReply serve(const MemoryRequest& request, MemoryDirection direction);

    /// The observer receives the intervals of each channel.
    void add_observer(ChannelObserver& observer) { observers_.push_back(&observer); }
    /// Counters of the channels.
    const MemoryPort& port() const { return law_.port(); }

 private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);
    /// Returns the bytes of a payload, or nullptr if they are not in this memory.
    std::byte* bytes_of(const tlm::tlm_generic_payload& payload);
    /// Reports the channels' intervals of the last request to the observers.
    void tell() const;

    DramLaw law_;
    isa::MemoryRegion region_;
    SystemMemory& memory_;
    std::vector<ChannelObserver*> observers_;
};

}  // namespace okksim::models
