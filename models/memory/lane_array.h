// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <optional>
#include <systemc>
#include <tlm>

#include "models/memory/local_memory.h"

namespace okksim::models {

/// One lane's local memory as a TLM target; its addresses start at 0. Accesses take no time,
/// because the cost formulas of the engines include them. Direct access is granted for all bytes.
class Lane : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket<Lane> in{"in"};

    /// The lane `index` of `memory`, which must outlive it.
    Lane(const sc_core::sc_module_name& name, LocalMemory& memory, std::int32_t index);

 private:
    /// Returns the bytes of a payload, or nullptr if they are not in this lane.
    std::byte* bytes_of(const tlm::tlm_generic_payload& payload);
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);

    LocalMemory& memory_;
    std::int32_t index_;
};

/// All lanes as one target with local addresses: `start` + lane * bytes per lane + byte. A
/// transaction must stay within one lane.
class LaneArray : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket<LaneArray> in{"in"};
    sc_core::sc_vector<Lane> lanes;

    LaneArray(const sc_core::sc_module_name& name, LocalMemory& memory, std::uint64_t start);

 private:
    /// Makes a payload's address relative to its lane and returns the lane's number.
    std::optional<int> enter_lane(tlm::tlm_generic_payload& payload) const;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);

    tlm_utils::multi_passthrough_initiator_socket<LaneArray> lanes_out_{"lanes_out"};
    std::uint64_t start_;
    std::uint64_t lane_bytes_;
};

}  // namespace okksim::models
