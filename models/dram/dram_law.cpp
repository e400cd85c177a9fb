// SPDX-License-Identifier: Apache-2.0
#include "models/dram/dram_law.h"

#include "models/common/npu_module.h"
#include "models/dram/transfer_extension.h"

namespace okksim::models {
namespace {

MemoryDirection direction_of(const tlm::tlm_generic_payload& payload) {
    return payload.is_write() ? MemoryDirection::kWrite : MemoryDirection::kRead;
}

}  // namespace

bool DramLaw::price_request(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto* transfer = payload.get_extension<TransferExtension>();
    if (transfer == nullptr) return false;
    transfer->is_answered = true;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    const MemoryAccess& access = transfer->access;
    if (access.request.runs == 0) return true;
    transfer->reply =
        serve(access.request, access.direction, now() + from_sc_time(delay), access.arbitration);
    delay = to_sc_time(transfer->reply.end() - now());
    return true;
}

void DramLaw::price_bytes(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t bytes = payload.get_data_length();
    if (bytes == 0 || payload.get_command() == tlm::TLM_IGNORE_COMMAND) return;
    const MemoryReply reply = serve({1, bytes, bytes, payload.get_address()}, direction_of(payload),
                                    now() + from_sc_time(delay));
    delay = to_sc_time(reply.end() - now());
}

}  // namespace okksim::models
