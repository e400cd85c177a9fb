// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "isa/command_port.h"
#include "kernels/planning/host.h"
#include "models/chip/command_price.h"
#include "models/chip/in_order_machine.h"
#include "models/chip/machine_params.h"
#include "models/memory/sparse_bits.h"
#include "models/memory/system_memory.h"
#include "sim/pricing/known_memory.h"

namespace okksim::sim::pricing {

/// Firmware read a value that exists only at run time. A kernel that does so has taken all its
/// decisions by then; what it does afterwards cannot be foreseen.
struct ValueUnknown {};

/// Memories of a machine that is being planned for. Constants can be read. What commands would have
/// written cannot (ValueUnknown), but for local memory, which reads as zeros: kernels look there
/// for violations of REQUIRE conditions, and plans are made for runs without any.
class PlanningMemory {
 public:
    PlanningMemory(const isa::MachineShape& shape, const KnownMemory& known);

    /// Before firmware loads or stores. It may store on the chip, not to global memory.
    void check(const isa::ProcessorAccess& access) const;
    void* local() { return zeros_.words(); }
    void* system(std::uint64_t address);
    const KnownMemory& known() const { return known_; }

 private:
    const KnownMemory& known_;
    isa::MemoryRegion global_;
    models::SystemMemory on_chip_;  ///< where firmware may store
    models::SparseBits zeros_;
};

/// Times commands, which have no effect.
class TimingPort : public isa::CommandPort {
 public:
    TimingPort(const models::MachineParams& params, PlanningMemory& memory)
        : memory_(memory), timing_(params) {}

    const isa::MachineShape& machine() const override { return timing_.machine(); }
    void submit(const isa::Command& command) override { timing_.submit(command); }
    void wait_until_idle() override { timing_.wait_until_idle(); }
    void charge(isa::FirmwareCall call) override { timing_.charge(call); }
    void compute(const isa::Computation& computation) override { timing_.compute(computation); }
    void access(const isa::ProcessorAccess& access) override {
        memory_.check(access);
        timing_.access(access);
    }
    void* local_pointer(isa::LocalAddr) override { return memory_.local(); }
    void* system_pointer(std::uint64_t address) override { return memory_.system(address); }

    models::InOrderMachine& timing() { return timing_; }

 private:
    PlanningMemory& memory_;
    models::InOrderMachine timing_;
};

/// Adds up what commands cost by themselves.
class WorkPort : public isa::CommandPort {
 public:
    WorkPort(const models::MachineParams& params, PlanningMemory& memory);

    const isa::MachineShape& machine() const override { return shape_; }
    void submit(const isa::Command& command) override;
    void wait_until_idle() override {}
    void charge(isa::FirmwareCall call) override;
    void compute(const isa::Computation& computation) override;
    void access(const isa::ProcessorAccess& access) override { memory_.check(access); }
    void* local_pointer(isa::LocalAddr) override { return memory_.local(); }
    void* system_pointer(std::uint64_t address) override { return memory_.system(address); }

    /// What was added since the last call.
    kernels::Work take();

 private:
    const models::MachineParams& params_;
    isa::MachineShape shape_;
    PlanningMemory& memory_;
    models::CommandPricer pricer_;
    models::Cycles processor_;
    kernels::Work work_;
};

}  // namespace okksim::sim::pricing
