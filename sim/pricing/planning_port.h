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

/// Thrown when firmware reads a value that exists only at run time. The kernel has taken all
/// decisions by then, and its further commands are unknown.
struct ValueUnknown {};

/// Memories of the machine of a plan. Constants can be read, but results of commands cannot
/// (ValueUnknown). Local memory reads as zeros, because kernels look there for violated REQUIRE
/// conditions. Plans assume that there are none.
class PlanningMemory {
 public:
    PlanningMemory(const isa::MachineShape& shape, const KnownMemory& known);

    /// Checks an access before firmware loads or stores. It may store on the chip, but not to
    /// global memory.
    void check(const isa::ProcessorAccess& access) const;
    void* local() { return zeros_.words(); }
    void* system(std::uint64_t address);
    const KnownMemory& known() const { return known_; }

 private:
    const KnownMemory& known_;
    isa::MemoryRegion global_;
    models::SystemMemory on_chip_;  ///< memories to which firmware may store
    models::SparseBits zeros_;
};

/// Times commands without executing them.
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

/// Adds up the costs of single commands.
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

    /// Returns the sum since the last call, and resets it.
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
