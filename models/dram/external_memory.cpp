// SPDX-License-Identifier: Apache-2.0
#include "models/dram/external_memory.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "isa/base/errors.h"
#include "isa/base/hex.h"
#include "isa/tensors.h"
#include "models/common/npu_module.h"
#include "models/memory/system_runs.h"

namespace okksim::models {
namespace {

unsigned char* data_of(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

/// Fills an ordinary payload for `bytes` bytes at `data`.
void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address,
          std::byte* data, std::uint64_t bytes) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data_of(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

/// Returns a predicate that is true for this command.
auto same_as(const isa::Command& command) {
    return [&command](const isa::Command& other) {
        return other.id == command.id && other.instance == command.instance;
    };
}

bool holds(const std::vector<isa::Command>& commands, const isa::Command& command) {
    return std::any_of(commands.begin(), commands.end(), same_as(command));
}

}  // namespace

ExternalMemory::ExternalMemory(const sc_core::sc_module_name& name, const isa::MachineShape& shape,
                               SystemMemory& memory, bool is_used, std::uint64_t burst_bytes)
    : sc_module(name),
      shape_(shape),
      region_(shape.global()),
      memory_(memory),
      is_used_(is_used),
      burst_bytes_(burst_bytes) {
    in.register_b_transport(this, &ExternalMemory::b_transport);
    in.register_transport_dbg(this, &ExternalMemory::transport_dbg);
    in.register_get_direct_mem_ptr(this, &ExternalMemory::get_direct_mem_ptr);
    out.register_invalidate_direct_mem_ptr(this, &ExternalMemory::invalidate_direct_mem_ptr);
}

void ExternalMemory::end_of_elaboration() {
    if (is_used_ && out.size() == 0) {
        throw ConfigError(out.name(),
                          "nothing is bound to the socket for external global memory; bind a "
                          "memory of " +
                              std::to_string(region_.bytes) +
                              " bytes (global.bytes), or let the chip use its own memory");
    }
    if (!is_used_ && out.size() != 0) {
        throw ConfigError(out.name(),
                          "a memory is bound, but the chip uses its internal global memory; set "
                          "ChipOptions::external_memory, or bind nothing");
    }
}

void ExternalMemory::start_of_simulation() {
    if (!is_used_) return;
    check_size();
    seek_direct_access();
}

void ExternalMemory::check_size() {
    std::byte seen{};
    tlm::tlm_generic_payload payload;
    const auto holds = [&](std::uint64_t address) {
        fill(payload, tlm::TLM_READ_COMMAND, address, &seen, 1);
        return out->transport_dbg(payload) == 1;
    };
    const bool holds_first = holds(0);
    // A memory without debug access does not report its size.
    if (!holds_first && payload.get_response_status() != tlm::TLM_ADDRESS_ERROR_RESPONSE) return;
    if (holds_first && holds(region_.bytes - 1)) return;
    throw ConfigError(out.name(), "the bound memory does not have byte " +
                                      isa::hex(holds_first ? region_.bytes - 1 : 0) +
                                      ", counted from 0. It must have all " +
                                      std::to_string(region_.bytes) +
                                      " bytes of global memory. Bind a memory of that size, or "
                                      "set global.bytes of the machine to its size");
}

void ExternalMemory::seek_direct_access() {
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, 0, nullptr, 0);
    tlm::tlm_dmi grant;
    is_direct_ = out->get_direct_mem_ptr(payload, grant) && grant.is_read_write_allowed() &&
                 grant.get_start_address() == 0 && grant.get_end_address() >= region_.bytes - 1;
    if (is_direct_) {
        memory_.show(region_.start, reinterpret_cast<std::byte*>(grant.get_dmi_ptr()));
    } else {
        memory_.mirror(region_.start);
    }
}

void ExternalMemory::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    if (is_direct_) end_direct_access();
    in->invalidate_direct_mem_ptr(region_.start + first, region_.start + last);
}

void ExternalMemory::end_direct_access() {
    // The data of these commands were not fetched when their time was computed, and cannot be
    // fetched later.
    for (const isa::Command& command : std::exchange(under_way_, {})) {
        if (effect_) effect_(command);
        effects_taken_.push_back(command);
    }
    std::vector<std::byte> lines;
    if (direct_access_) {
        const MemoryRequest& request = direct_access_->access.request;
        const std::byte* bytes = memory_.pointer(request.address, request.bytes());
        lines.assign(bytes, bytes + request.bytes());
    }
    memory_.mirror(region_.start);
    is_direct_ = false;
    if (!direct_access_) return;
    // The processor may not have used its lines yet.
    const MemoryRequest& request = direct_access_->access.request;
    std::memcpy(memory_.pointer(request.address, request.bytes()), lines.data(), lines.size());
    if (direct_access_->access.direction == MemoryDirection::kWrite) {
        stored_.push_back({request.address, request.bytes()});
    }
    direct_access_.reset();
}

bool ExternalMemory::enter(tlm::tlm_generic_payload& payload) const {
    if (!region_.holds(payload.get_address(), payload.get_data_length())) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }
    payload.set_address(payload.get_address() - region_.start);
    return true;
}

void ExternalMemory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (auto* transfer = payload.get_extension<TransferExtension>()) {
        serve(*transfer, delay);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    write_back();
    if (!enter(payload)) return;
    out->b_transport(payload, delay);
    payload.set_address(payload.get_address() + region_.start);
}

unsigned ExternalMemory::transport_dbg(tlm::tlm_generic_payload& payload) {
    if (!enter(payload)) return 0;
    const unsigned copied = out->transport_dbg(payload);
    payload.set_address(payload.get_address() + region_.start);
    return copied;
}

bool ExternalMemory::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant) {
    const std::uint64_t address = payload.get_address();
    payload.set_address(address - region_.start);
    const bool is_granted = out->get_direct_mem_ptr(payload, grant);
    payload.set_address(address);
    // Addresses outside of global memory belong to other targets.
    const std::uint64_t last = std::min<std::uint64_t>(grant.get_end_address(), region_.bytes - 1);
    grant.set_start_address(region_.start + grant.get_start_address());
    grant.set_end_address(region_.start + last);
    return is_granted;
}

void ExternalMemory::serve(TransferExtension& transfer, sc_core::sc_time& delay) {
    const bool is_priced = prices_requests();
    write_back();
    if (is_direct_) note_direct(transfer);
    if (!is_priced || !is_direct_) move_data(transfer, delay);
    if (is_priced) return price_outside(transfer, delay);
    transfer.reply = {now() + from_sc_time(delay), {}};
}

bool ExternalMemory::prices_requests() {
    if (prices_requests_) return *prices_requests_;
    // Reads one byte to find out if the memory knows the extension; the time is not counted.
    TransferExtension question;
    std::byte byte{};
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_READ_COMMAND, 0, &byte, 1);
    const LentExtension lent(payload, question);
    sc_core::sc_time unused;
    prices_requests_ = false;
    out->b_transport(payload, unused);
    prices_requests_ = question.is_answered;
    return question.is_answered;
}

void ExternalMemory::price_outside(TransferExtension& transfer, sc_core::sc_time& delay) {
    TransferExtension request = transfer;
    request.access.command = nullptr;
    request.is_answered = false;
    tlm::tlm_generic_payload payload;
    fill(payload, tlm::TLM_IGNORE_COMMAND, transfer.access.request.address - region_.start, nullptr,
         0);
    const LentExtension lent(payload, request);
    out->b_transport(payload, delay);
    transfer.reply = request.reply;
    if (!payload.is_response_ok() || !request.is_answered) {
        report({transfer.access.request.address, transfer.access.request.bytes()}, payload);
        transfer.reply = {now() + from_sc_time(delay), {}};
    }
}

void ExternalMemory::move_data(const TransferExtension& transfer, sc_core::sc_time& delay) {
    const bool is_read = transfer.access.direction == MemoryDirection::kRead;
    if (is_read) return move_runs(transfer, tlm::TLM_READ_COMMAND, delay);
    if (transfer.access.command != nullptr) {
        const isa::Command& command = *transfer.access.command;
        // The effect took place in external memory when direct access ended.
        if (holds(effects_taken_, command)) return;
        // The bytes are written now, not when the command ends, because a transaction carries its
        // data.
        std::erase_if(under_way_, same_as(command));
        effects_taken_.push_back(command);
        if (effect_) effect_(command);
        return move_runs(transfer, tlm::TLM_WRITE_COMMAND, delay);
    }
    if (is_direct_) return move_runs(transfer, tlm::TLM_WRITE_COMMAND, delay);
    // The processor stores after its request, so its lines are fetched now and written back later.
    move_runs(transfer, tlm::TLM_READ_COMMAND, delay);
    stored_.push_back({transfer.access.request.address, transfer.access.request.bytes()});
}

void ExternalMemory::move_runs(const TransferExtension& transfer, tlm::tlm_command command,
                               sc_core::sc_time& delay) {
    if (transfer.access.command == nullptr) {
        return move_run({transfer.access.request.address, transfer.access.request.bytes()}, command,
                        delay);
    }
    const auto access = command == tlm::TLM_READ_COMMAND ? isa::Access::kRead : isa::Access::kWrite;
    for (const isa::TensorView& view : isa::tensor_views(*transfer.access.command, shape_)) {
        if (view.local || view.access != access) continue;
        for_each_system_run(view, [&](std::uint64_t address, std::uint64_t bytes) {
            move_run({address, bytes}, command, delay);
        });
    }
}

void ExternalMemory::move_run(const Run& run, tlm::tlm_command command, sc_core::sc_time& delay) {
    for (std::uint64_t at = 0; at < run.bytes; at += burst_bytes_) {
        move_burst({run.address + at, std::min(burst_bytes_, run.bytes - at)}, command, delay);
    }
}

void ExternalMemory::move_burst(const Run& burst, tlm::tlm_command command,
                                sc_core::sc_time& delay) {
    // For an address outside global memory the command's effect raises a fault.
    if (!region_.holds(burst.address, burst.bytes)) return;
    std::byte* bytes = memory_.pointer(burst.address, burst.bytes);
    // External memory gets a copy, never internal storage, as a payload's data.
    std::vector<std::byte> copy;
    if (is_direct_) {
        copy.assign(bytes, bytes + burst.bytes);
        bytes = copy.data();
    }
    tlm::tlm_generic_payload payload;
    fill(payload, command, burst.address - region_.start, bytes, burst.bytes);
    if (prices_requests()) {
        if (out->transport_dbg(payload) == burst.bytes) return;
    } else {
        out->b_transport(payload, delay);
        if (payload.is_response_ok()) return;
    }
    report(burst, payload);
}

void ExternalMemory::note_direct(const TransferExtension& transfer) {
    if (transfer.access.command == nullptr) {
        direct_access_ = transfer;
        return;
    }
    const isa::Command& command = *transfer.access.command;
    if (holds(effects_taken_, command)) return;
    if (!holds(under_way_, command)) under_way_.push_back(command);
}

bool ExternalMemory::took_effect(const isa::Command& command) {
    std::erase_if(under_way_, same_as(command));
    return std::erase_if(effects_taken_, same_as(command)) > 0;
}

void ExternalMemory::write_back() {
    sc_core::sc_time unused;
    for (const Run& run : std::exchange(stored_, {})) {
        move_run(run, tlm::TLM_WRITE_COMMAND, unused);
    }
}

void ExternalMemory::report(const Run& burst, const tlm::tlm_generic_payload& payload) {
    if (!fault_sink_) return;
    const bool is_outside = payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE;
    FaultRecord record;
    record.code = is_outside ? FaultCode::kBadAddress : FaultCode::kUnsupported;
    record.function = "access to external global memory";
    record.argument = "address of " + std::to_string(burst.bytes) + " bytes";
    record.value = isa::hex(burst.address);
    record.rule = std::string("the memory bound to ") + out.name() + " must carry it out; it " +
                  (prices_requests() ? "grants neither direct access to all of global memory nor "
                                       "debug access"
                                     : "answered " + payload.get_response_string());
    record.advice =
        "bind a memory that holds all of global memory (global.bytes) and takes reads "
        "and writes of up to " +
        std::to_string(burst_bytes_) + " bytes";
    record.unit = "dram";
    fault_sink_(std::move(record));
}

}  // namespace okksim::models
