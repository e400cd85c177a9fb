// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <array>
#include <systemc>
#include <tlm>

#include "isa/types.h"

namespace okksim::models {

/// Routes transactions by system address to global memory, L2-SRAM or DTCM. Addresses outside every
/// memory get TLM_ADDRESS_ERROR_RESPONSE. Binding order of `out`: global, L2, DTCM.
class Interconnect : public sc_core::sc_module {
 public:
    tlm_utils::multi_passthrough_target_socket<Interconnect> in{"in"};
    tlm_utils::multi_passthrough_initiator_socket<Interconnect> out{"out"};

    Interconnect(const sc_core::sc_module_name& name, const isa::MachineShape& shape);

 private:
    void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
    /// Index of `out` that serves the address, or -1 as TLM's multi sockets have it for none.
    int route(std::uint64_t address) const;

    isa::MachineShape shape_;
};

}  // namespace okksim::models
