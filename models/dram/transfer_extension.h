// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "models/dram/memory_system.h"

namespace okksim::models {

/// Requests the time of an access as a whole. One such transaction replaces all bursts of a
/// command. It is a TLM_IGNORE_COMMAND and transfers no data. A request without runs only asks if
/// the memory knows the extension.
struct TransferExtension : tlm::tlm_extension<TransferExtension> {
    /// The request, which arrives when the transaction's delay is over.
    MemoryAccess access;
    MemoryReply reply;         ///< filled in by the memory
    bool is_answered = false;  ///< set by a memory that knows the extension

    tlm::tlm_extension_base* clone() const override { return new TransferExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const TransferExtension&>(other);
    }
};

/// Lends an extension to a payload and takes it back at the end of the scope. A payload deletes the
/// extensions that it still has. Payload and extension must outlive this object.
class LentExtension {
 public:
    LentExtension(tlm::tlm_generic_payload& payload, TransferExtension& extension)
        : payload_(payload), extension_(extension) {
        payload_.set_extension(&extension_);
    }
    ~LentExtension() { payload_.clear_extension(&extension_); }
    LentExtension(const LentExtension&) = delete;
    LentExtension& operator=(const LentExtension&) = delete;

 private:
    tlm::tlm_generic_payload& payload_;
    TransferExtension& extension_;
};

}  // namespace okksim::models
