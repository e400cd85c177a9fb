// SPDX-License-Identifier: Apache-2.0
#include "models/dram/memory_target.h"

#include "models/common/npu_module.h"
#include "models/memory/payload.h"

namespace okksim::models {

MemoryTarget::MemoryTarget(const sc_core::sc_module_name& name, const MemoryPort& port,
                           const isa::MemoryRegion& region, SystemMemory& memory)
    : sc_module(name), law_(port), region_(region), memory_(memory) {
    in.register_b_transport(this, &MemoryTarget::b_transport);
    in.register_transport_dbg(this, &MemoryTarget::transport_dbg);
    in.register_get_direct_mem_ptr(this, &MemoryTarget::get_direct_mem_ptr);
}

std::byte* MemoryTarget::bytes_of(const tlm::tlm_generic_payload& payload) {
    if (!region_.holds(payload.get_address(), payload.get_data_length())) return nullptr;
    return memory_.pointer(payload.get_address(), payload.get_data_length());
}

void MemoryTarget::tell() const {
    for (ChannelObserver* observer : observers_) {
        for (const ChannelUse& use : port().last_uses()) observer->memory_channel(use);
    }
}

void MemoryTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (law_.price_request(payload, delay)) return tell();
    if (!carry_out(payload, bytes_of(payload)) || payload.get_data_length() == 0) return;
    law_.price_bytes(payload, delay);
    tell();
}

MemoryReply MemoryTarget::serve(const MemoryRequest& request, MemoryDirection direction) {
    const MemoryReply reply = law_.serve(request, direction, now());
    tell();
    return reply;
}

unsigned MemoryTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address(), bytes = payload.get_data_length();
    // A debug write overwrites its whole range.
    const bool is_here = payload.is_write() && region_.holds(address, bytes);
    return carry_out_debug(
        payload, is_here ? memory_.pointer_to_overwrite(address, bytes) : bytes_of(payload));
}

bool MemoryTarget::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& grant) {
    return grant_direct(grant, region_.start, region_.bytes,
                        memory_.pointer(region_.start, region_.bytes));
}

}  // namespace okksim::models
