// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <systemc>
#include <tlm>
#include <vector>

#include "isa/types.h"

namespace okksim::models {

/// Routes transactions by system address to the memory that holds their first byte, the earliest of
/// those that do; addresses are passed on unchanged. Addresses outside every memory get
/// TLM_ADDRESS_ERROR_RESPONSE.
class Interconnect : public sc_core::sc_module {
 public:
    tlm_utils::multi_passthrough_target_socket<Interconnect> in{"in"};
    tlm_utils::multi_passthrough_initiator_socket<Interconnect> out{"out"};

    /// `map`: the addresses behind `out`, in the order in which it is bound.
    Interconnect(const sc_core::sc_module_name& name, std::vector<isa::MemoryRegion> map);

 private:
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);
    void invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last);
    /// Index of `out` that serves the payload, or -1 as TLM's multi sockets have it for none; then
    /// the payload has its response.
    int route(tlm::tlm_generic_payload& payload) const;

    std::vector<isa::MemoryRegion> map_;
};

}  // namespace okksim::models
