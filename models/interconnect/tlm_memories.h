// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "models/common/npu_module.h"
#include "models/dram/memory_system.h"
#include "models/dram/transfer_extension.h"

namespace okksim::models {

/// The memories behind an initiator's socket: asks by b_transport, which may let time pass.
template <typename Socket>
class TlmMemories : public MemorySystem {
 public:
    explicit TlmMemories(Socket& socket) : socket_(socket) {}

    MemoryReply serve(const MemoryAccess& access) override {
        return transfers_.send(socket_, access.request.address, access.request, access.direction,
                               access.arbitration, std::max(access.arrival, now()) - now());
    }

 private:
    Socket& socket_;
    TransferSender transfers_;
};

}  // namespace okksim::models
