// SPDX-License-Identifier: Apache-2.0
#include "models/dram/memory_target.h"

#include <algorithm>
#include <cstring>

#include "isa/errors.h"
#include "models/common/npu_module.h"
#include "models/interconnect/transfer_extension.h"

namespace okksim::models {

MemoryTarget::MemoryTarget(const sc_core::sc_module_name& name, const MemoryPort& port,
                           SystemMemory& memory)
    : sc_module(name), port_(port), memory_(memory) {
    in.register_b_transport(this, &MemoryTarget::b_transport);
    in.register_transport_dbg(this, &MemoryTarget::transport_dbg);
}

void MemoryTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto* transfer = payload.get_extension<TransferExtension>();
    OKKSIM_CHECK(transfer != nullptr);
    transfer->reply = serve_at(transfer->request,
                               payload.is_read() ? MemoryDirection::kRead : MemoryDirection::kWrite,
                               now() + from_sc_time(delay), transfer->arbitration);
    delay = to_sc_time(transfer->reply.end() - now());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

MemoryReply MemoryTarget::serve(const MemoryRequest& request, MemoryDirection direction) {
    return serve_at(request, direction, now(), Arbitration::kArrival);
}

MemoryReply MemoryTarget::serve_at(const MemoryRequest& request, MemoryDirection direction,
                                   Picoseconds time, Arbitration arbitration) {
    const MemoryReply reply = port_.serve(request, direction, time, arbitration);
    for (CommandObserver* observer : observers_) {
        for (const ChannelUse& use : port_.last_uses()) observer->memory_channel(use);
    }
    return reply;
}

unsigned MemoryTarget::transport_dbg(tlm::tlm_generic_payload& payload) {
    std::byte* bytes = memory_.pointer(payload.get_address(), payload.get_data_length());
    if (bytes == nullptr) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return 0;
    }
    if (payload.is_read()) {
        std::memcpy(payload.get_data_ptr(), bytes, payload.get_data_length());
    } else if (payload.is_write()) {
        std::memcpy(bytes, payload.get_data_ptr(), payload.get_data_length());
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return payload.get_data_length();
}

}  // namespace okksim::models
