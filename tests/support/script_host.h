// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <span>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "models/host/host_registers.h"

namespace okksim::tests {

/// A host that runs a function in a thread, so that it may wait.
class ScriptHost : public sc_core::sc_module {
 public:
    using Words = std::vector<std::uint32_t>;
    tlm_utils::simple_initiator_socket<ScriptHost> out{"out"};

    ScriptHost(const sc_core::sc_module_name& name, std::uint64_t registers,
               std::function<void(ScriptHost&)> script)
        : sc_module(name), registers_(registers), script_(std::move(script)) {
        SC_HAS_PROCESS(ScriptHost);
        SC_THREAD(run);
    }

    tlm::tlm_response_status move(tlm::tlm_command command, std::uint64_t address,
                                  std::span<std::uint8_t> bytes) {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(bytes.data());
        payload.set_data_length(static_cast<unsigned>(bytes.size()));
        payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
        out->b_transport(payload, delay);
        return payload.get_response_status();
    }
    tlm::tlm_response_status write(std::uint64_t address, Words words) {
        return move(tlm::TLM_WRITE_COMMAND, address,
                    {reinterpret_cast<std::uint8_t*>(words.data()), 4 * words.size()});
    }
    Words read(std::uint64_t address, std::size_t count) {
        Words words(count);
        move(tlm::TLM_READ_COMMAND, address,
             {reinterpret_cast<std::uint8_t*>(words.data()), 4 * count});
        return words;
    }
    tlm::tlm_response_status set(std::uint64_t offset, std::uint32_t value) {
        return write(registers_ + offset, {value});
    }
    std::uint32_t get(std::uint64_t offset) { return read(registers_ + offset, 1)[0]; }
    models::HostStatus status() {
        return static_cast<models::HostStatus>(get(models::host_registers::kStatus));
    }
    /// Starts a program by its doorbell, polls every 10 us until it has ended, and returns its
    /// status.
    models::HostStatus run_program(std::uint32_t number) {
        set(models::host_registers::kProgram, number);
        set(models::host_registers::kDoorbell, 1);
        while (status() == models::HostStatus::kBusy) wait(10, sc_core::SC_US);
        return status();
    }

    sc_core::sc_time delay;

 private:
    void run() { script_(*this); }

    std::uint64_t registers_;
    std::function<void(ScriptHost&)> script_;
};

}  // namespace okksim::tests
