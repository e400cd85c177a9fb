// SPDX-License-Identifier: Apache-2.0
#include "models/memory/payload.h"

#include <cstring>

namespace okksim::models {
namespace {

void copy_data(tlm::tlm_generic_payload& payload, std::byte* bytes) {
    if (payload.is_read()) {
        std::memcpy(payload.get_data_ptr(), bytes, payload.get_data_length());
    } else if (payload.is_write()) {
        std::memcpy(bytes, payload.get_data_ptr(), payload.get_data_length());
    }
}

}  // namespace

bool carry_out(tlm::tlm_generic_payload& payload, std::byte* bytes) {
    const auto refuse = [&](tlm::tlm_response_status status) {
        payload.set_response_status(status);
        return false;
    };
    if (bytes == nullptr) return refuse(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (payload.get_byte_enable_ptr() != nullptr) {
        return refuse(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    }
    if (payload.get_streaming_width() < payload.get_data_length()) {
        return refuse(tlm::TLM_BURST_ERROR_RESPONSE);
    }
    copy_data(payload, bytes);
    payload.set_dmi_allowed(true);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

unsigned carry_out_debug(tlm::tlm_generic_payload& payload, std::byte* bytes) {
    if (bytes == nullptr) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return 0;
    }
    copy_data(payload, bytes);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return payload.get_data_length();
}

bool grant_direct(tlm::tlm_dmi& grant, std::uint64_t start, std::uint64_t bytes, std::byte* data) {
    grant.allow_read_write();
    grant.set_start_address(start);
    grant.set_end_address(start + bytes - 1);
    grant.set_dmi_ptr(reinterpret_cast<unsigned char*>(data));
    return true;
}

}  // namespace okksim::models
