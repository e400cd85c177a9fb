// SPDX-License-Identifier: Apache-2.0
#include "models/chip/chip.h"

#include "models/bdc/bdc_semantics.h"
#include "models/common/npu_module.h"
#include "models/gdma/gdma_semantics.h"

namespace okksim::models {

Chip::Chip(const sc_core::sc_module_name& name, const MachineParams& params,
           const ChipOptions& options)
    : sc_module(name),
      local_(static_cast<std::int32_t>(params.chip.lanes), params.chip.local_memory_bytes),
      system_(params.shape()),
      pool_(options.threads),
      mcu("mcu", params.mcu, params.host, params.shape(), sync, local_, system_),
      gdma("gdma", params.gdma, params.shape(), static_cast<std::size_t>(params.mcu.queue_depth),
           sync),
      bdc("bdc", params.bdc, params.shape(), static_cast<std::size_t>(params.mcu.queue_depth),
          sync),
      interconnect("interconnect", params.shape()),
      dram("dram", MemoryPort(params.dram), system_),
      l2("l2", MemoryPort(params.l2_port), system_),
      dtcm("dtcm", MemoryPort(params.l2_port), system_) {
    mcu.gdma_out.bind(gdma.cmd_in);
    mcu.bdc_out.bind(bdc.cmd_in);
    gdma.mem_out.bind(interconnect.in);
    mcu.mem_out.bind(interconnect.in);
    interconnect.out.bind(dram.in);
    interconnect.out.bind(l2.in);
    interconnect.out.bind(dtcm.in);
    if (params.chip.bank_interference > 0) {
        gdma.set_bank_watch(bank_watch_, params.shape(), params.chip.bank_interference);
        bdc.set_bank_watch(bank_watch_, params.shape(), params.chip.bank_interference);
    }
    if (options.with_data && options.with_diagnostics) {
        diagnostics_ = std::make_unique<Diagnostics>(params.shape(), local_, system_);
        add_observer(*diagnostics_);
    }
    if (options.with_data) {
        const auto effect = [this](const isa::Command& command) { apply(command); };
        gdma.set_effect(effect);
        bdc.set_effect(effect);
    }
}

void Chip::add_observer(CommandObserver& observer) {
    gdma.add_observer(observer);
    bdc.add_observer(observer);
    mcu.add_observer(observer);
    dram.add_observer(observer);
}

Picoseconds Chip::host_copy(std::uint64_t address, std::uint64_t bytes, MemoryDirection direction) {
    if (bytes == 0) return {};
    return dram.serve({1, bytes, bytes, address}, direction).end() - now();
}

std::vector<Finding> Chip::take_findings() {
    return diagnostics_ ? diagnostics_->take() : std::vector<Finding>{};
}

void Chip::host_wrote(std::uint64_t address, std::uint64_t bytes) {
    if (diagnostics_) diagnostics_->host_wrote(address, bytes);
}

void Chip::apply(const isa::Command& command) {
    if (fault_) return;
    if (diagnostics_) diagnostics_->take_effect(command);
    try {
        if (command.info().engine == isa::Engine::kGdma) {
            execute_gdma(command, local_, system_);
        } else {
            execute_bdc(command, local_, pool_);
        }
    } catch (const ProgramFault& fault) {
        fault_ = fault.record();
    }
}

}  // namespace okksim::models
