// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <systemc>
#include <tlm>
#include <vector>

#include "isa/types.h"

namespace okksim::models {

/// Routes transactions by system address to the first memory that holds their first byte. Addresses
/// are passed on unchanged. Addresses outside every memory get TLM_ADDRESS_ERROR_RESPONSE.
class Interconnect : public sc_core::sc_module {
 public:
    tlm_utils::multi_passthrough_target_socket<Interconnect> in{"in"};
    tlm_utils::multi_passthrough_initiator_socket<Interconnect> out{"out"};

    /// `map`: the address ranges of the targets of `out`, in binding order.
    Interconnect(const sc_core::sc_module_name& name, std::vector<isa::MemoryRegion> map);

 private:
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);
    void invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last);
    /// Returns the index of `out` that serves the payload, or -1 if no memory holds it; the payload
    /// then has its error response.
    int route(tlm::tlm_generic_payload& payload) const;

    std::vector<isa::MemoryRegion> map_;
};

}  // namespace okksim::models
