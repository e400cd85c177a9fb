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

/// A system memory as a TLM target with data. An ordinary transaction reads or writes its bytes and
/// takes the time of one request for them; one with a TransferExtension is priced as the extension
/// says and moves nothing. Requests of several initiators share the bandwidth in order of arrival.
/// `b_transport` never waits: it adds the time to `delay`, so methods may call it. Debug accesses
/// take no time; direct access is granted for the whole memory, and whoever uses it answers for the
/// time.
class MemoryTarget : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket_optional<MemoryTarget> in{"in"};

    /// Serves the addresses of `region`, whose bytes `memory` holds; it must outlive the target.
    MemoryTarget(const sc_core::sc_module_name& name, const MemoryPort& port,
                 const isa::MemoryRegion& region, SystemMemory& memory);

    /// Serves a request that comes past the interconnect (host copies), now.
    MemoryReply serve(const MemoryRequest& request, MemoryDirection direction);

    /// Tells the observer what each channel does.
    void add_observer(ChannelObserver& observer) { observers_.push_back(&observer); }
    /// What the channels have done so far.
    const MemoryPort& port() const { return law_.port(); }

 private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);
    /// The bytes of a payload, or nullptr when they do not lie in this memory.
    std::byte* bytes_of(const tlm::tlm_generic_payload& payload);
    /// Tells the observers what the channels did for the last request.
    void tell() const;

    DramLaw law_;
    isa::MemoryRegion region_;
    SystemMemory& memory_;
    std::vector<ChannelObserver*> observers_;
};

}  // namespace okksim::models
