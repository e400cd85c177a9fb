// SPDX-License-Identifier: Apache-2.0
#include "models/chip/chip.h"

#include <algorithm>
#include <string>
#include <utility>

#include "isa/base/errors.h"
#include "isa/base/hex.h"
#include "models/chip/chip_params.h"
#include "models/chip/diagnostics.h"
#include "models/chip/execute.h"
#include "models/chip/machine_units.h"
#include "models/common/npu_module.h"

namespace okksim::models {
namespace {

/// Largest bytes of one debug transaction, whose length field has 32 bits.
constexpr std::size_t kDebugPiece = std::size_t{1} << 30;

/// Returns all address ranges in the order in which the chip binds them.
std::vector<isa::MemoryRegion> address_map(const MachineParams& params) {
    std::vector<isa::MemoryRegion> map = params.shape().memories();
    map.push_back(
        {static_cast<std::uint64_t>(params.chip->local_memory_start),
         static_cast<std::uint64_t>(params.chip->lanes * params.chip->local_memory_bytes)});
    return map;
}

[[noreturn]] void throw_no_memory(std::uint64_t address, std::size_t bytes) {
    FaultRecord record;
    record.code = FaultCode::kBadAddress;
    record.function = "host copy";
    record.argument = "address";
    record.value = isa::hex(address);
    record.rule = "all " + std::to_string(bytes) + " bytes must be in one memory of the chip";
    record.advice = "check address and length against the machine file";
    record.unit = "host";
    throw ProgramFault(std::move(record));
}

/// Returns the address of the register block, which must leave all memories reachable.
std::uint64_t checked_registers(const MachineParams& params, const ChipOptions& options) {
    const std::uint64_t start = options.host_registers;
    const std::uint64_t end = start + host_registers::kBytes;
    for (const isa::MemoryRegion& memory : address_map(params)) {
        if (start >= memory.start + memory.bytes || end <= memory.start) continue;
        throw ConfigError("ChipOptions::host_registers",
                          "a register block at " + isa::hex(start) + " covers the memory at " +
                              isa::hex(memory.start) + "; give it " +
                              std::to_string(host_registers::kBytes) +
                              " bytes that no memory of the machine uses");
    }
    return start;
}

/// True if global memory is outside the chip.
bool checked_external(const ChipOptions& options) {
    if (options.external_memory && !options.with_data) {
        throw ConfigError("ChipOptions::external_memory",
                          "external memory needs data, so a run without data cannot use it; use "
                          "the chip's memory");
    }
    return options.external_memory;
}

}  // namespace

Chip::Chip(const sc_core::sc_module_name& name, const MachineParams& params,
           const ChipOptions& options)
    : sc_module(name),
      local_(params.shape(), options.with_data ? LocalMemory::kPoisonByte : std::byte{0}),
      system_(params.shape()),
      pool_(options.threads),
      mcu("mcu", *params.mcu, *params.host, params.shape(), make_sequencer(params), local_,
          system_),
      interconnect("interconnect", address_map(params)),
      lanes("lanes", local_, static_cast<std::uint64_t>(params.chip->local_memory_start)),
      external("external", params.shape(), system_, checked_external(options), options.burst_bytes),
      host(
          "host", checked_registers(params, options), mcu, *params.host,
          [this] { return std::exchange(fault_, std::nullopt); },
          [this](std::uint64_t address, std::uint64_t bytes) {
              if (diagnostics_) diagnostics_->host_wrote(address, bytes);
          }) {
    wire(params, options);
    if (options.with_data && options.with_diagnostics) {
        diagnostics_ = std::make_unique<Diagnostics>(
            params.shape(), mcu.sequencer().engine_count(), local_, system_,
            [this](const isa::Command& command) {
                execute(command, {local_, system_, pool_});
            },
            options.exact_bytes);
        add_observer(*diagnostics_);
        const isa::MemoryRegion global = params.shape().global();
        // The chip does not see what other masters write to external memory.
        if (options.external_memory) diagnostics_->host_wrote(global.start, global.bytes);
    }
    if (options.with_data) set_effects();
}

Chip::~Chip() = default;

void Chip::wire(const MachineParams& params, const ChipOptions& options) {
    for (std::size_t i = 0; i < mcu.sequencer().engine_count(); ++i) {
        engines.push_back(std::make_unique<EngineModule>(mcu.sequencer().entry(i).name.c_str(), i,
                                                         mcu.sequencer(), mcu.clockwork()));
        mcu.cmd_out.bind(engines.back()->cmd_in);
        engines.back()->mem_out.bind(interconnect.in);
    }
    mcu.mem_out.bind(interconnect.in);
    for (const MemoryEntry& entry : memory_entries(params)) {
        memories.push_back(std::make_unique<MemoryTarget>(
            entry.name.c_str(), MemoryPort(*entry.law), entry.region, system_));
        if (options.external_memory && memories.size() == 1) {
            interconnect.out.bind(external.in);
        } else {
            interconnect.out.bind(memories.back()->in);
        }
        if (entry.is_observed) observed_memories_.push_back(memories.back().get());
    }
    interconnect.out.bind(lanes.in);
    debug_out_.bind(interconnect.in);
    host.mem_out.bind(interconnect.in);
}

void Chip::set_effects() {
    for (const auto& engine : engines) {
        engine->set_effect([this](const isa::Command& command) {
            if (!external.took_effect(command)) apply(command);
        });
    }
    external.set_effect([this](const isa::Command& command) { apply(command); });
    external.set_fault_sink([this](FaultRecord fault) { keep_fault(std::move(fault)); });
    mcu.add_observer(store_keeper_);
}

void Chip::keep_fault(FaultRecord fault) {
    if (!fault_) fault_ = std::move(fault);
}

void Chip::add_observer(CommandObserver& observer) {
    for (const auto& engine : engines) engine->add_observer(observer);
    mcu.add_observer(observer);
    for (MemoryTarget* memory : observed_memories_) memory->add_observer(observer);
}

Picoseconds Chip::host_copy(std::uint64_t address, std::uint64_t bytes, MemoryDirection direction) {
    if (bytes == 0) return {};
    return memories.front()->serve({1, bytes, bytes, address}, direction).end() - now();
}

void Chip::watch_results() {
    if (diagnostics_) diagnostics_->watch_results();
}

std::optional<Finding> Chip::host_reads(std::uint64_t address, std::uint64_t bytes) {
    if (!diagnostics_ || bytes == 0) return std::nullopt;
    return diagnostics_->host_reads(address, bytes);
}

void Chip::copy_memory(std::uint64_t to, std::uint64_t from, std::span<const std::byte> bytes) {
    if (diagnostics_ && !bytes.empty()) diagnostics_->host_copies(to, from, bytes.size());
    // A write only reads the payload's data.
    access_memory(tlm::TLM_WRITE_COMMAND, to, const_cast<std::byte*>(bytes.data()), bytes.size());
}

void Chip::forget_memory(std::uint64_t address, std::uint64_t bytes) {
    system_.forget(address, bytes);
    if (diagnostics_) diagnostics_->host_forgets(address, bytes);
}

std::optional<std::string> Chip::processor_looks(std::uint64_t address, std::uint64_t bytes,
                                                 bool loads) {
    if (!diagnostics_) return std::nullopt;
    return diagnostics_->processor_looks(address, bytes, loads);
}

std::optional<std::string> Chip::processor_looks(isa::LocalAddr address) {
    if (!diagnostics_) return std::nullopt;
    return diagnostics_->processor_looks(address);
}

std::optional<std::string> Chip::processor_loads(isa::LocalAddr address, std::uint64_t bytes) {
    if (!diagnostics_) return std::nullopt;
    return diagnostics_->processor_loads(address, bytes);
}

void Chip::processor_stored(isa::LocalAddr address, std::uint64_t bytes) {
    if (diagnostics_) diagnostics_->processor_stored(address, bytes);
}

void Chip::processor_copied(std::uint64_t address, std::uint64_t bytes, const void* site) {
    if (diagnostics_) diagnostics_->processor_copied(address, bytes, site);
}

void Chip::processor_stored(std::uint64_t address, std::uint64_t bytes) {
    if (diagnostics_) diagnostics_->host_wrote(address, bytes);
}

void Chip::watch_users(std::function<const void*()> issuing,
                       std::function<std::string(const void*)> describe) {
    if (diagnostics_) diagnostics_->watch_users(std::move(issuing), std::move(describe));
}

void Chip::keep_local_memory() {
    if (diagnostics_) diagnostics_->keep_local_memory();
}

std::vector<Finding> Chip::take_findings() {
    std::vector<Finding> findings = std::exchange(added_findings_, {});
    if (diagnostics_) {
        for (Finding& finding : diagnostics_->take()) findings.push_back(std::move(finding));
    }
    return findings;
}

void Chip::access_memory(tlm::tlm_command command, std::uint64_t address, std::byte* bytes,
                         std::size_t count) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    for (std::size_t at = 0; at < count; at += kDebugPiece) {
        const auto piece = static_cast<unsigned>(std::min(kDebugPiece, count - at));
        payload.set_address(address + at);
        payload.set_data_ptr(reinterpret_cast<unsigned char*>(bytes + at));
        payload.set_data_length(piece);
        if (debug_out_->transport_dbg(payload) != piece) throw_no_memory(address, count);
    }
}

void Chip::write_memory(std::uint64_t address, std::span<const std::byte> bytes) {
    // A write only reads the payload's data.
    access_memory(tlm::TLM_WRITE_COMMAND, address, const_cast<std::byte*>(bytes.data()),
                  bytes.size());
    if (diagnostics_ && !bytes.empty()) diagnostics_->host_wrote(address, bytes.size());
}

void Chip::read_memory(std::uint64_t address, std::span<std::byte> bytes) {
    access_memory(tlm::TLM_READ_COMMAND, address, bytes.data(), bytes.size());
}

void Chip::apply(const isa::Command& command) {
    if (fault_) return;
    if (diagnostics_) diagnostics_->take_effect(command);
    try {
        execute(command, {local_, system_, pool_});
    } catch (const ProgramFault& fault) {
        fault_ = fault.record();
    }
}

}  // namespace okksim::models
