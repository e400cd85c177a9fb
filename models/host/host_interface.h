// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <systemc>
#include <tlm>
#include <vector>

#include "isa/base/fault.h"
#include "isa/command_port.h"
#include "models/host/host_registers.h"
#include "models/mcu/mcu.h"

namespace okksim::models {

/// The chip as a host sees it: one socket for its memories at their system addresses and for the
/// register block (host_registers.h). Registers take no time; a doorbell takes the machine's launch
/// time.
class HostInterface : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket_optional<HostInterface> in{"in"};
    tlm_utils::simple_initiator_socket<HostInterface> mem_out{"mem_out"};

    /// Program that a doorbell runs on the control processor, with a copy of the argument block.
    /// Returns the fault that ended it.
    using Program = std::function<std::optional<FaultRecord>(isa::CommandPort&,
                                                             std::span<const std::byte> arguments)>;

    /// Registers start at `start`. `faults` returns the faults of the last program's commands;
    /// `wrote` is called with the memory that the host has written.
    HostInterface(const sc_core::sc_module_name& name, std::uint64_t start, Mcu& mcu,
                  const HostParams& params, std::function<std::optional<FaultRecord>()> faults,
                  std::function<void(std::uint64_t address, std::uint64_t bytes)> wrote);

    /// Longest argument block; a longer ARGUMENT_BYTES is refused.
    static constexpr std::uint32_t kMostArgumentBytes = 1 << 20;

    /// Installs a program and returns its number: 1, 2, ...
    std::uint32_t add_program(Program program);
    /// Fault that ended the last program early, if any.
    const std::optional<FaultRecord>& fault() const { return fault_; }

 private:
    static constexpr std::size_t kWords = host_registers::kBytes / sizeof(std::uint32_t);

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant);
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last);
    bool is_register(const tlm::tlm_generic_payload& payload) const {
        return payload.get_address() - start_ < host_registers::kBytes;
    }

    tlm::tlm_response_status access_registers(tlm::tlm_generic_payload& payload,
                                              sc_core::sc_time& delay);
    tlm::tlm_response_status write_word(std::size_t index, std::uint32_t value,
                                        sc_core::sc_time& delay);
    std::uint32_t read_word(std::size_t index, const sc_core::sc_time& delay) const;
    tlm::tlm_response_status ring(sc_core::sc_time& delay);
    HostStatus status(Picoseconds time) const;

    std::uint32_t word(std::uint64_t offset) const { return words_[offset / sizeof words_[0]]; }
    std::uint64_t pair(std::uint64_t low) const {
        return word(low) | std::uint64_t{word(low + sizeof words_[0])} << 32;
    }
    void set_pair(std::uint64_t low, std::uint64_t value);
    /// Copies the argument block. Returns false if no memory holds it.
    bool fetch_arguments(std::vector<std::byte>& arguments, sc_core::sc_time& delay);
    void launch(std::vector<std::byte> arguments);
    void finish(Picoseconds start, Picoseconds end);

    std::uint64_t start_;
    Mcu& mcu_;
    Section<HostParams> params_;
    std::function<std::optional<FaultRecord>()> faults_;
    std::function<void(std::uint64_t, std::uint64_t)> wrote_;
    std::vector<Program> programs_;
    std::array<std::uint32_t, kWords> words_{};
    bool is_running_ = false;             ///< from the doorbell until both engines are idle
    std::optional<Picoseconds> seen_at_;  ///< when the host sees that the last program has ended
    std::optional<FaultRecord> fault_;
};

}  // namespace okksim::models
