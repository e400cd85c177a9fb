// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "isa/base/errors.h"
#include "models/common/npu_module.h"
#include "models/dram/memory_system.h"
#include "models/dram/transfer_extension.h"

namespace okksim::models {

/// The memories at an initiator's socket. Asks them by b_transport, which may let time pass.
template <typename Socket>
class TlmMemories : public MemorySystem {
 public:
    explicit TlmMemories(Socket& socket) : socket_(socket) {
        payload_.set_command(tlm::TLM_IGNORE_COMMAND);
    }

    MemoryReply serve(const MemoryAccess& access) override {
        extension_.access = access;
        extension_.is_answered = false;
        payload_.set_address(access.request.address);
        payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        const LentExtension lent(payload_, extension_);
        sc_core::sc_time delay = to_sc_time(std::max(access.arrival, now()) - now());
        socket_->b_transport(payload_, delay);
        OKKSIM_CHECK(payload_.get_response_status() == tlm::TLM_OK_RESPONSE);
        return extension_.reply;
    }

 private:
    Socket& socket_;
    tlm::tlm_generic_payload payload_;
    TransferExtension extension_;
};

}  // namespace okksim::models
