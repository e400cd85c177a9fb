// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <systemc>
#include <tlm>

#include "models/dram/dram_timing.h"

namespace okksim::models {

/// The time that transactions take by the law of the built-in memories (models/dram/README.md), for
/// anybody's TLM memory:
///
///     void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
///         if (law.price_request(payload, delay)) return;
///         ... move the payload's bytes, set its response ...
///         law.price_bytes(payload, delay);
///     }
///
/// Requests of several initiators share the memory in order of arrival. Never waits.
class DramLaw {
 public:
    explicit DramLaw(const DramParams& params) : port_(params) {}
    explicit DramLaw(const MemoryPort& port) : port_(port) {}

    /// Prices what a TransferExtension asks for: such a transaction stands for all bursts of a
    /// command and moves no data. It gets its reply, its response, and the time added to `delay`.
    /// False for an ordinary transaction, which is left as it is.
    bool price_request(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    /// Adds to `delay` what the bytes of an ordinary transaction take from there on.
    void price_bytes(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    /// Serves a request that arrives at `time`.
    MemoryReply serve(const MemoryRequest& request, MemoryDirection direction, Picoseconds time,
                      Arbitration arbitration = Arbitration::kArrival) {
        return port_.serve(request, direction, time, arbitration);
    }
    /// What the channels have done so far.
    const MemoryPort& port() const { return port_; }

 private:
    MemoryPort port_;
};

}  // namespace okksim::models
