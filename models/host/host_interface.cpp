// SPDX-License-Identifier: Apache-2.0
#include "models/host/host_interface.h"

#include <cstring>
#include <string>
#include <utility>

#include "models/common/npu_module.h"
#include "models/mcu/host_params.h"

namespace okksim::models {
namespace {

using namespace host_registers;

constexpr std::uint64_t kWordBytes = sizeof(std::uint32_t);

FaultRecord unknown_program(std::uint32_t number, std::size_t programs) {
    FaultRecord record;
    record.code = FaultCode::kUnknownKernel;
    record.function = "doorbell";
    record.argument = "PROGRAM";
    record.value = std::to_string(number);
    record.rule = "must be the number of an installed program, 1 to " + std::to_string(programs);
    record.advice = "install the program before the host rings the doorbell";
    record.unit = "host";
    return record;
}

/// A register that the host may write.
bool is_writable(std::uint64_t offset) { return offset >= kProgram && offset <= kDoorbell; }

}  // namespace

HostInterface::HostInterface(const sc_core::sc_module_name& name, std::uint64_t start, Mcu& mcu,
                             const HostParams& params,
                             std::function<std::optional<FaultRecord>()> faults,
                             std::function<void(std::uint64_t, std::uint64_t)> wrote)
    : sc_module(name),
      start_(start),
      mcu_(mcu),
      params_(params),
      faults_(std::move(faults)),
      wrote_(std::move(wrote)) {
    in.register_b_transport(this, &HostInterface::b_transport);
    in.register_transport_dbg(this, &HostInterface::transport_dbg);
    in.register_get_direct_mem_ptr(this, &HostInterface::get_direct_mem_ptr);
    mem_out.register_invalidate_direct_mem_ptr(this, &HostInterface::invalidate_direct_mem_ptr);
    words_[kIdentity / kWordBytes] = kIdentityValue;
}

std::uint32_t HostInterface::add_program(Program program) {
    programs_.push_back(std::move(program));
    return static_cast<std::uint32_t>(programs_.size());
}

void HostInterface::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (is_register(payload)) {
        payload.set_response_status(access_registers(payload, delay));
        return;
    }
    mem_out->b_transport(payload, delay);
    if (payload.is_write() && payload.is_response_ok()) {
        wrote_(payload.get_address(), payload.get_data_length());
    }
}

unsigned HostInterface::transport_dbg(tlm::tlm_generic_payload& payload) {
    if (!is_register(payload)) {
        const unsigned copied = mem_out->transport_dbg(payload);
        if (payload.is_write() && copied > 0) wrote_(payload.get_address(), copied);
        return copied;
    }
    const bool is_legal = payload.is_read() && payload.get_address() % kWordBytes == 0;
    sc_core::sc_time none;
    payload.set_streaming_width(payload.get_data_length());
    payload.set_response_status(is_legal ? access_registers(payload, none)
                                         : tlm::TLM_COMMAND_ERROR_RESPONSE);
    return payload.is_response_ok() ? payload.get_data_length() : 0;
}

bool HostInterface::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& grant) {
    if (!is_register(payload)) return mem_out->get_direct_mem_ptr(payload, grant);
    grant.set_start_address(start_);
    grant.set_end_address(start_ + kBytes - 1);
    return false;
}

void HostInterface::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
    if (in.get_base_port().size() > 0) in->invalidate_direct_mem_ptr(first, last);
}

tlm::tlm_response_status HostInterface::access_registers(tlm::tlm_generic_payload& payload,
                                                         sc_core::sc_time& delay) {
    const std::uint64_t offset = payload.get_address() - start_;
    const std::uint64_t length = payload.get_data_length();
    if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (offset % kWordBytes != 0 || length == 0 || length % kWordBytes != 0 ||
        payload.get_streaming_width() < length) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (length > kBytes - offset) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    for (std::uint64_t at = 0; at < length; at += kWordBytes) {
        const std::size_t index = (offset + at) / kWordBytes;
        std::uint32_t value = 0;
        if (payload.is_read()) {
            value = read_word(index, delay);
            std::memcpy(payload.get_data_ptr() + at, &value, kWordBytes);
        } else if (payload.is_write()) {
            std::memcpy(&value, payload.get_data_ptr() + at, kWordBytes);
            const tlm::tlm_response_status status = write_word(index, value, delay);
            if (status != tlm::TLM_OK_RESPONSE) return status;
        }
    }
    return tlm::TLM_OK_RESPONSE;
}

std::uint32_t HostInterface::read_word(std::size_t index, const sc_core::sc_time& delay) const {
    if (index == kStatus / kWordBytes) {
        return static_cast<std::uint32_t>(status(now() + from_sc_time(delay)));
    }
    return words_[index];
}

tlm::tlm_response_status HostInterface::write_word(std::size_t index, std::uint32_t value,
                                                   sc_core::sc_time& delay) {
    if (!is_writable(index * kWordBytes)) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (index == kDoorbell / kWordBytes) return ring(delay);
    if (index == kArgumentBytes / kWordBytes && value > kMostArgumentBytes) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    words_[index] = value;
    return tlm::TLM_OK_RESPONSE;
}

HostStatus HostInterface::status(Picoseconds time) const {
    if (is_running_) return HostStatus::kBusy;
    if (!seen_at_) return HostStatus::kIdle;
    if (time < *seen_at_) return HostStatus::kBusy;
    return fault_ ? HostStatus::kFault : HostStatus::kDone;
}

void HostInterface::set_pair(std::uint64_t low, std::uint64_t value) {
    words_[low / kWordBytes] = static_cast<std::uint32_t>(value);
    words_[low / kWordBytes + 1] = static_cast<std::uint32_t>(value >> 32);
}

tlm::tlm_response_status HostInterface::ring(sc_core::sc_time& delay) {
    if (status(now() + from_sc_time(delay)) == HostStatus::kBusy) {
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
    // The program begins when the host's own time has come to the doorbell.
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    fault_.reset();
    words_[kFault / kWordBytes] = 0;
    std::vector<std::byte> arguments(word(kArgumentBytes));
    if (!fetch_arguments(arguments, delay)) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    is_running_ = true;
    launch(std::move(arguments));
    return tlm::TLM_OK_RESPONSE;
}

bool HostInterface::fetch_arguments(std::vector<std::byte>& arguments, sc_core::sc_time& delay) {
    if (arguments.empty()) return true;
    tlm::tlm_generic_payload payload;
    const auto bytes = static_cast<unsigned>(arguments.size());
    payload.set_read();
    payload.set_address(pair(kArgumentLow));
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(arguments.data()));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    // The launch's cost covers the block; a memory without debug access takes its own time.
    if (mem_out->transport_dbg(payload) == bytes) return true;
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    mem_out->b_transport(payload, delay);
    return payload.is_response_ok();
}

void HostInterface::launch(std::vector<std::byte> arguments) {
    const std::uint32_t number = word(kProgram);
    auto body = [this, number, arguments = std::move(arguments)](isa::CommandPort& port) {
        if (number == 0 || number > programs_.size()) {
            fault_ = unknown_program(number, programs_.size());
        } else {
            fault_ = programs_[number - 1](port, arguments);
        }
    };
    mcu_.launch(
        {std::move(body), [this](Picoseconds start, Picoseconds end) { finish(start, end); }});
}

void HostInterface::finish(Picoseconds start, Picoseconds end) {
    const std::optional<FaultRecord> of_commands = faults_();
    if (!fault_) fault_ = of_commands;
    set_pair(kStartLow, static_cast<std::uint64_t>(start.value));
    set_pair(kEndLow, static_cast<std::uint64_t>(end.value));
    words_[kFault / kWordBytes] = fault_ ? 1 + static_cast<std::uint32_t>(fault_->code) : 0;
    seen_at_ = end + from_nanoseconds(params_->sync_nanoseconds);
    is_running_ = false;
}

}  // namespace okksim::models
