// SPDX-License-Identifier: Apache-2.0
#include "models/memory/lane_array.h"

#include "models/memory/payload.h"

namespace okksim::models {

Lane::Lane(const sc_core::sc_module_name& name, LocalMemory& memory, std::int32_t index)
    : sc_module(name), memory_(memory), index_(index) {
    in.register_b_transport(this, &Lane::b_transport);
    in.register_transport_dbg(this, &Lane::transport_dbg);
    in.register_get_direct_mem_ptr(this, &Lane::get_direct_mem_ptr);
}

std::byte* Lane::bytes_of(const tlm::tlm_generic_payload& payload) {
    const auto size = static_cast<std::uint64_t>(memory_.bytes_per_lane());
    const std::uint64_t address = payload.get_address();
    const std::uint64_t length = payload.get_data_length();
    if (address > size || length > size - address) return nullptr;
    return memory_.at(index_, static_cast<std::int64_t>(address));
}

void Lane::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    carry_out(payload, bytes_of(payload));
}

unsigned Lane::transport_dbg(tlm::tlm_generic_payload& payload) {
    return carry_out_debug(payload, bytes_of(payload));
}

bool Lane::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& grant) {
    return grant_direct(grant, 0, static_cast<std::uint64_t>(memory_.bytes_per_lane()),
                        memory_.at(index_, 0));
}

LaneArray::LaneArray(const sc_core::sc_module_name& name, LocalMemory& memory, std::uint64_t start)
    : sc_module(name),
      lanes("lane"),
      start_(start),
      lane_bytes_(static_cast<std::uint64_t>(memory.bytes_per_lane())) {
    in.register_b_transport(this, &LaneArray::b_transport);
    in.register_transport_dbg(this, &LaneArray::transport_dbg);
    in.register_get_direct_mem_ptr(this, &LaneArray::get_direct_mem_ptr);
    lanes.init(static_cast<std::size_t>(memory.lanes()), [&](const char* lane, std::size_t index) {
        return new Lane(lane, memory, static_cast<std::int32_t>(index));
    });
    for (Lane& lane : lanes) lanes_out_.bind(lane.in);
}

std::optional<int> LaneArray::enter_lane(tlm::tlm_generic_payload& payload) const {
    const std::uint64_t local = payload.get_address() - start_;
    if (payload.get_address() < start_ || local / lane_bytes_ >= lanes.size()) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return std::nullopt;
    }
    payload.set_address(local % lane_bytes_);
    return static_cast<int>(local / lane_bytes_);
}

void LaneArray::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    if (const auto lane = enter_lane(payload)) lanes_out_[*lane]->b_transport(payload, delay);
    payload.set_address(address);
}

unsigned LaneArray::transport_dbg(tlm::tlm_generic_payload& payload) {
    const std::uint64_t address = payload.get_address();
    const auto lane = enter_lane(payload);
    const unsigned copied = lane ? lanes_out_[*lane]->transport_dbg(payload) : 0;
    payload.set_address(address);
    return copied;
}

bool LaneArray::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant) {
    const std::uint64_t address = payload.get_address();
    const auto lane = enter_lane(payload);
    if (!lane || !lanes_out_[*lane]->get_direct_mem_ptr(payload, grant)) {
        // The denied range is this address only.
        grant.set_start_address(address);
        grant.set_end_address(address);
        return false;
    }
    const std::uint64_t first = address - payload.get_address();
    payload.set_address(address);
    grant.set_start_address(first + grant.get_start_address());
    grant.set_end_address(first + grant.get_end_address());
    return true;
}

}  // namespace okksim::models
