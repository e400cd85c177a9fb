// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "isa/errors.h"
#include "models/common/npu_module.h"
#include "models/dram/dram_timing.h"

namespace okksim::models {

/// Describes a transfer that is priced as a whole.
/// One transaction stands for all bursts of a command, so the payload carries no data; memory
/// effects take place at the command's completion through the memories' debug interface.
struct TransferExtension : tlm::tlm_extension<TransferExtension> {
    MemoryRequest request;
    Arbitration arbitration = Arbitration::kArrival;
    MemoryReply reply;  ///< filled in by the memory

    tlm::tlm_extension_base* clone() const override { return new TransferExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const TransferExtension&>(other);
    }
};

/// What an initiator sends its transfers with.
class TransferSender {
 public:
    /// What the memory at `address` replies to a request that starts `delay` from now.
    template <typename Socket>
    MemoryReply send(Socket& socket, std::uint64_t address, const MemoryRequest& request,
                     MemoryDirection direction, Arbitration arbitration, Picoseconds delay) {
        extension_.request = request;
        extension_.arbitration = arbitration;
        payload_.set_command(direction == MemoryDirection::kRead ? tlm::TLM_READ_COMMAND
                                                                 : tlm::TLM_WRITE_COMMAND);
        payload_.set_address(address);
        payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        payload_.set_extension(&extension_);
        sc_core::sc_time time = to_sc_time(delay);
        socket->b_transport(payload_, time);
        // The extension is a member, so the payload must not delete it.
        payload_.clear_extension(&extension_);
        OKKSIM_CHECK(payload_.get_response_status() == tlm::TLM_OK_RESPONSE);
        return extension_.reply;
    }

 private:
    tlm::tlm_generic_payload payload_;
    TransferExtension extension_;
};

}  // namespace okksim::models
