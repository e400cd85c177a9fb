// SPDX-License-Identifier: Apache-2.0
#include "models/interconnect/interconnect.h"

#include <utility>

namespace okksim::models {

Interconnect::Interconnect(const sc_core::sc_module_name& name, std::vector<isa::MemoryRegion> map)
    : sc_module(name), map_(std::move(map)) {
    in.register_b_transport(this, &Interconnect::b_transport);
    in.register_transport_dbg(this, &Interconnect::transport_dbg);
    in.register_get_direct_mem_ptr(this, &Interconnect::get_direct_mem_ptr);
    out.register_invalidate_direct_mem_ptr(this, &Interconnect::invalidate_direct_mem_ptr);
}

int Interconnect::route(tlm::tlm_generic_payload& payload) const {
    for (std::size_t i = 0; i < map_.size(); ++i) {
        if (map_[i].holds(payload.get_address())) return static_cast<int>(i);
    }
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return -1;
}

void Interconnect::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const int target = route(payload);
    if (target >= 0) out[target]->b_transport(payload, delay);
}

unsigned Interconnect::transport_dbg(int, tlm::tlm_generic_payload& payload) {
    const int target = route(payload);
    return target < 0 ? 0 : out[target]->transport_dbg(payload);
}

bool Interconnect::get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant) {
    const int target = route(payload);
    if (target >= 0) return out[target]->get_direct_mem_ptr(payload, grant);
    grant.set_start_address(payload.get_address());
    grant.set_end_address(payload.get_address());
    return false;
}

void Interconnect::invalidate_direct_mem_ptr(int, sc_dt::uint64 first, sc_dt::uint64 last) {
    for (unsigned i = 0; i < in.size(); ++i) {
        in[static_cast<int>(i)]->invalidate_direct_mem_ptr(first, last);
    }
}

}  // namespace okksim::models
