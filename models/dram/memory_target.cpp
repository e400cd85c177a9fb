// SPDX-License-Identifier: Apache-2.0
#include "models/dram/memory_target.h"

#include "models/common/npu_module.h"
#include "models/dram/transfer_extension.h"
#include "models/memory/payload.h"

namespace okksim::models {

MemoryTarget::MemoryTarget(const sc_core::sc_module_name& name, const MemoryPort& port,
                           const isa::MemoryRegion& region, SystemMemory& memory)
    : sc_module(name), port_(port), region_(region), memory_(memory) {
    in.register_b_transport(this, &MemoryTarget::b_transport);
    in.register_transport_dbg(this, &MemoryTarget::transport_dbg);
    in.register_get_direct_mem_ptr(this, &MemoryTarget::get_direct_mem_ptr);
}

std::byte* MemoryTarget::bytes_of(const tlm::tlm_generic_payload& payload) {
    if (!region_.holds(payload.get_address(), payload.get_data_length())) return nullptr;
    return memory_.pointer(payload.get_address(), payload.get_data_length());
}

MemoryReply MemoryTarget::serve_at_delay(const MemoryRequest& request,
                                         tlm::tlm_generic_payload& payload, sc_core::sc_time& delay,
                                         Arbitration arbitration) {
    const auto direction = payload.is_read() ? MemoryDirection::kRead : MemoryDirection::kWrite;
    const MemoryReply reply =
        serve_at(request, direction, now() + from_sc_time(delay), arbitration);
    delay = to_sc_time(reply.end() - now());
    return reply;
}

void MemoryTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (auto* transfer = payload.get_extension<TransferExtension>()) {
        transfer->reply = serve_at_delay(transfer->request, payload, delay, transfer->arbitration);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    if (!carry_out(payload, bytes_of(payload)) ||
        payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        return;
    }
    const std::uint64_t bytes = payload.get_data_length();
    serve_at_delay({1, bytes, bytes, payload.get_address()}, payload, delay, Arbitration::kArrival);
}

MemoryReply MemoryTarget::serve(const MemoryRequest& request, MemoryDirection direction) {
    return serve_at(request, direction, now(), Arbitration::kArrival);
}

MemoryReply MemoryTarget::serve_at(const MemoryRequest& request, MemoryDirection direction,
                                   Picoseconds time, Arbitration arbitration) {
    const MemoryReply reply = port_.serve(request, direction, time, arbitration);
    for (ChannelObserver* observer : observers_) {
        for (const ChannelUse& use : port_.last_uses()) observer->memory_channel(use);
    }
    return reply;
}

unsigned MemoryTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
    return carry_out_debug(payload, bytes_of(payload));
}

bool MemoryTarget::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& grant) {
    return grant_direct(grant, region_.start, region_.bytes,
                        memory_.pointer(region_.start, region_.bytes));
}

}  // namespace okksim::models
