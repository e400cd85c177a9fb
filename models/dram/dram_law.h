// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <systemc>
#include <tlm>

#include "models/dram/dram_timing.h"

namespace okksim::models {

/// Time of transactions by the cost model of the built-in memories (models/dram/README.md), for use
/// in other TLM memories:
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

    /// Handles a transaction with a TransferExtension, which stands for all bursts of a command and
    /// transfers no data. Fills in its reply and response, and adds the time to `delay`. Returns
    /// false for an ordinary transaction and leaves it unchanged.
    bool price_request(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    /// Adds to `delay` the time for the bytes of an ordinary transaction.
    void price_bytes(const tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

    /// Serves a request that arrives at `time`.
    MemoryReply serve(const MemoryRequest& request, MemoryDirection direction, Picoseconds time,
                      Arbitration arbitration = Arbitration::kArrival) {
        return port_.serve(request, direction, time, arbitration);
    }
    /// Counters of the channels.
    const MemoryPort& port() const { return port_; }

 private:
    MemoryPort port_;
};

}  // namespace okksim::models
