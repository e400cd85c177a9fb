// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>

#include "models/host/host_registers.h"

/// A host: runs one function as a thread that transfers data and programs over the socket.
class Host : public sc_core::sc_module {
 public:
    tlm_utils::simple_initiator_socket<Host> out{"out"};

    Host(const sc_core::sc_module_name& name, std::uint64_t registers,
         std::function<void(Host&)> script)
        : sc_module(name), registers_(registers), script_(std::move(script)) {
        SC_HAS_PROCESS(Host);
        SC_THREAD(run);
    }

    void write(std::uint64_t address, const void* data, std::size_t bytes) {
        auto* from = static_cast<unsigned char*>(const_cast<void*>(data));
        move(tlm::TLM_WRITE_COMMAND, address, from, bytes);
    }
    void read(std::uint64_t address, void* data, std::size_t bytes) {
        move(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(data), bytes);
    }

    /// Rings the doorbell for a program whose argument block is at `arguments`, and polls until it
    /// ends. Returns the microseconds it took. The registers report the status.
    double run_program(std::uint32_t program, std::uint64_t arguments, std::uint32_t bytes) {
        namespace registers = okksim::models::host_registers;
        using okksim::models::HostStatus;
        const struct {
            std::uint32_t program, low, high, bytes;
        } job{program, static_cast<std::uint32_t>(arguments),
              static_cast<std::uint32_t>(arguments >> 32), bytes};
        write(registers_ + registers::kProgram, &job, sizeof job);
        const std::uint32_t ring = 1;
        write(registers_ + registers::kDoorbell, &ring, sizeof ring);
        HostStatus status = HostStatus::kBusy;
        while (status == HostStatus::kBusy) {
            wait(10, sc_core::SC_US);
            read(registers_ + registers::kStatus, &status, sizeof status);
        }
        if (status != HostStatus::kDone) throw std::runtime_error("the program ended with a fault");
        std::uint64_t times[2];
        read(registers_ + registers::kStartLow, times, sizeof times);
        return static_cast<double>(times[1] - times[0]) * 1e-6;
    }

    bool is_done() const { return is_done_; }

 private:
    void run() {
        script_(*this);
        is_done_ = true;
    }

    void move(tlm::tlm_command command, std::uint64_t address, unsigned char* data,
              std::size_t bytes) {
        constexpr std::size_t kPiece = std::size_t{1} << 20;
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        for (std::size_t at = 0; at < bytes; at += kPiece) {
            const auto piece = static_cast<unsigned>(std::min(kPiece, bytes - at));
            payload.set_address(address + at);
            payload.set_data_ptr(data + at);
            payload.set_data_length(piece);
            payload.set_streaming_width(piece);
            payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            sc_core::sc_time delay;
            out->b_transport(payload, delay);
            wait(delay);
            if (!payload.is_response_ok()) {
                throw std::runtime_error("host access: " + payload.get_response_string());
            }
        }
    }

    std::uint64_t registers_;
    std::function<void(Host&)> script_;
    bool is_done_ = false;
};
