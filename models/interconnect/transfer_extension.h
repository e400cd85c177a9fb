// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm>

#include "models/dram/dram_timing.h"

namespace okksim::models {

/// Describes a transfer that is priced as a whole.
/// One transaction stands for all bursts of a command, so the payload carries no data; memory
/// effects take place at the command's completion through the memories' debug interface.
struct TransferExtension : tlm::tlm_extension<TransferExtension> {
    MemoryRequest request;
    MemoryReply reply;  ///< filled in by the memory

    tlm::tlm_extension_base* clone() const override { return new TransferExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
        *this = static_cast<const TransferExtension&>(other);
    }
};

}  // namespace okksim::models
