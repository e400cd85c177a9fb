// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "models/common/units.h"
#include "models/dram/dram_timing.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// A system memory as a TLM target: prices transfers by bandwidth and latency and serves debug
/// accesses to its bytes. Requests of several initiators share the bandwidth in order of arrival.
/// `b_transport` never waits: it adds the time to `delay`, so methods may call it.
class MemoryTarget : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket_optional<MemoryTarget> in{"in"};

    MemoryTarget(const sc_core::sc_module_name& name, const BandwidthParams& params,
                 SystemMemory& memory);

    /// Bytes served so far, by direction.
    std::uint64_t bytes_read() const { return bytes_read_; }
    std::uint64_t bytes_written() const { return bytes_written_; }

 private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);

    MemoryPort port_;
    SystemMemory& memory_;
    std::uint64_t bytes_read_ = 0;
    std::uint64_t bytes_written_ = 0;
};

}  // namespace okksim::models
