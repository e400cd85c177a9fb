// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/interconnect.h"

namespace okksim::models {
Interconnect::Interconnect(const sc_core::sc_module_name& name, const isa::MachineShape& shape)
    : sc_module(name), shape_(shape) {
    in.register_b_transport(this, &Interconnect::b_transport);
    in.register_transport_dbg(this, &Interconnect::transport_dbg);
}

int Interconnect::route(std::uint64_t address) const {
    if (shape_.global().holds(address)) return 0;
    if (shape_.l2().holds(address)) return 1;
    if (shape_.dtcm().holds(address)) return 2;
    return -1;
}

void Interconnect::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const int target = route(payload.get_address());
    if (target < 0) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    out[target]->b_transport(payload, delay);
}

unsigned Interconnect::transport_dbg(int, tlm::tlm_generic_payload& payload) {
    const int target = route(payload.get_address());
    if (target < 0) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return 0;
    }
    return out[target]->transport_dbg(payload);
}

}  // namespace okksim::models
