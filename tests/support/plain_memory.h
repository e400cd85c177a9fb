// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/dram/dram_law.h"
#include "models/dram/dram_params.h"

namespace okksim::tests {

/// Optional features of a memory outside the chip, in addition to ordinary transactions.
struct PlainMemoryTraits {
    std::uint64_t bytes = 0;
    std::int64_t latency_ns = 10;                ///< of every transaction
    std::optional<models::DramParams> law = {};  ///< replaces latency_ns
    bool has_debug = false;
    bool grants_direct = false;
    bool waits = false;                      ///< lets its time pass instead of annotating it
    std::optional<std::uint64_t> hole = {};  ///< refuses this address
    /// At this time the memory withdraws direct access, and overwrites the bytes that it referred
    /// to.
    std::optional<std::int64_t> withdraw_ns = {};
};

/// A foreign memory, independent of okksim except for the DramLaw of `law`.
class PlainMemory : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket<PlainMemory> in{"in"};

    PlainMemory(const sc_core::sc_module_name& name, const PlainMemoryTraits& traits)
        : sc_module(name), traits_(traits), data_(traits.bytes) {
        if (traits.law) law_.emplace(*traits.law);
        in.register_b_transport(this, &PlainMemory::b_transport);
        if (traits.has_debug) in.register_transport_dbg(this, &PlainMemory::transport_dbg);
        if (traits.grants_direct) {
            in.register_get_direct_mem_ptr(this, &PlainMemory::get_direct_mem_ptr);
        }
        if (traits.withdraw_ns) sc_core::sc_spawn([this] { withdraw(); });
    }

    std::vector<std::uint8_t>& data() { return data_; }
    std::uint64_t transactions() const { return transactions_; }

 private:
    void move(tlm::tlm_generic_payload& payload) {
        const std::uint64_t address = payload.get_address();
        const std::uint64_t bytes = payload.get_data_length();
        const bool in_hole =
            traits_.hole && address <= *traits_.hole && *traits_.hole < address + bytes;
        if (in_hole || address > data_.size() || bytes > data_.size() - address) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (payload.is_read()) std::memcpy(payload.get_data_ptr(), &data_[address], bytes);
        if (payload.is_write()) std::memcpy(&data_[address], payload.get_data_ptr(), bytes);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        if (law_ && law_->price_request(payload, delay)) return;
        ++transactions_;
        if (!law_)
            delay += sc_core::sc_time(static_cast<double>(traits_.latency_ns), sc_core::SC_NS);
        if (traits_.waits) {
            wait(delay);
            delay = sc_core::SC_ZERO_TIME;
        }
        move(payload);
        if (law_) law_->price_bytes(payload, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
        move(payload);
        return payload.is_response_ok() ? payload.get_data_length() : 0;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& grant) {
        grant.allow_read_write();
        grant.set_start_address(0);
        grant.set_end_address(data_.size() - 1);
        grant.set_dmi_ptr(data_.data());
        return true;
    }

    void withdraw() {
        wait(sc_core::sc_time(static_cast<double>(*traits_.withdraw_ns), sc_core::SC_NS));
        in->invalidate_direct_mem_ptr(0, data_.size() - 1);
        // Later accesses through the old pointer read and write these bytes.
        std::vector<std::uint8_t> moved = data_;
        std::fill(data_.begin(), data_.end(), std::uint8_t{0xEE});
        data_.swap(moved);
        old_ = std::move(moved);
    }

    PlainMemoryTraits traits_;
    std::vector<std::uint8_t> old_;
    std::vector<std::uint8_t> data_;
    std::optional<models::DramLaw> law_;
    std::uint64_t transactions_ = 0;
};

}  // namespace okksim::tests
