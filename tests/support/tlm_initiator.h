// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <systemc>
#include <tlm>
#include <vector>

namespace okksim::tests {

/// Sends single transactions and keeps their responses.
class TlmInitiator : public sc_core::sc_module {
 public:
    tlm_utils::simple_initiator_socket<TlmInitiator> out{"out"};

    explicit TlmInitiator(const sc_core::sc_module_name& name) : sc_module(name) {}

    /// An ordinary payload for `bytes`, which it refers to.
    static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                     std::uint64_t address, std::vector<std::uint8_t>& bytes) {
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(static_cast<unsigned>(bytes.size()));
        payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
        payload.set_byte_enable_ptr(nullptr);
        payload.set_dmi_allowed(false);
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    }

    tlm::tlm_response_status write(std::uint64_t address, std::vector<std::uint8_t> bytes) {
        fill(payload, tlm::TLM_WRITE_COMMAND, address, bytes);
        return send();
    }
    tlm::tlm_response_status read(std::uint64_t address, std::vector<std::uint8_t>& bytes) {
        fill(payload, tlm::TLM_READ_COMMAND, address, bytes);
        return send();
    }
    /// Sends `payload` unchanged, with `delay` as its annotated time.
    tlm::tlm_response_status send() {
        out->b_transport(payload, delay);
        return payload.get_response_status();
    }
    unsigned debug(tlm::tlm_command command, std::uint64_t address,
                   std::vector<std::uint8_t>& bytes) {
        fill(payload, command, address, bytes);
        return out->transport_dbg(payload);
    }

    tlm::tlm_generic_payload payload;
    sc_core::sc_time delay;
};

}  // namespace okksim::tests
