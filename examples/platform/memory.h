// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <systemc>
#include <tlm>

#include "models/dram/dram_law.h"

/// The bytes of a memory. The operating system allocates only the pages that are touched.
class Storage {
 public:
    explicit Storage(std::uint64_t bytes)
        : bytes_(bytes), data_(static_cast<unsigned char*>(std::calloc(bytes, 1))) {
        if (!data_) throw std::bad_alloc();
    }
    std::uint64_t bytes() const { return bytes_; }
    unsigned char* data() { return data_.get(); }

    /// Executes a read or write, or sets an address error.
    void move(tlm::tlm_generic_payload& payload) {
        const std::uint64_t length = payload.get_data_length();
        if (payload.get_address() > bytes_ || length > bytes_ - payload.get_address()) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        unsigned char* bytes = data_.get() + payload.get_address();
        if (payload.is_read()) std::memcpy(payload.get_data_ptr(), bytes, length);
        if (payload.is_write()) std::memcpy(bytes, payload.get_data_ptr(), length);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }

 private:
    struct Free {
        void operator()(void* data) const { std::free(data); }
    };
    std::uint64_t bytes_;
    std::unique_ptr<unsigned char, Free> data_;
};

/// A minimal memory: ordinary transactions of fixed latency. With `waits` it waits in the
/// transaction; otherwise it annotates the delay.
class FixedMemory : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket<FixedMemory> in{"in"};

    FixedMemory(const sc_core::sc_module_name& name, std::uint64_t bytes,
                const sc_core::sc_time& latency, bool waits)
        : sc_module(name), storage_(bytes), latency_(latency), waits_(waits) {
        in.register_b_transport(this, &FixedMemory::b_transport);
    }

 private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        delay += latency_;
        if (waits_) {
            wait(delay);
            delay = sc_core::SC_ZERO_TIME;
        }
        storage_.move(payload);
    }

    Storage storage_;
    sc_core::sc_time latency_;
    bool waits_;
};

/// A memory with the timing of okksim's DRAM, with debug access and DMI.
class LawMemory : public sc_core::sc_module {
 public:
    tlm_utils::simple_target_socket<LawMemory> in{"in"};

    LawMemory(const sc_core::sc_module_name& name, std::uint64_t bytes,
              const okksim::models::DramParams& params)
        : sc_module(name), storage_(bytes), law_(params) {
        in.register_b_transport(this, &LawMemory::b_transport);
        in.register_transport_dbg(this, &LawMemory::transport_dbg);
        in.register_get_direct_mem_ptr(this, &LawMemory::get_direct_mem_ptr);
    }

 private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        if (law_.price_request(payload, delay)) return;
        storage_.move(payload);
        if (payload.is_response_ok()) law_.price_bytes(payload, delay);
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
        storage_.move(payload);
        return payload.is_response_ok() ? payload.get_data_length() : 0;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& grant) {
        grant.allow_read_write();
        grant.set_start_address(0);
        grant.set_end_address(storage_.bytes() - 1);
        grant.set_dmi_ptr(storage_.data());
        return true;
    }

    Storage storage_;
    okksim::models::DramLaw law_;
};
