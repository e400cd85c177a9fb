// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/chip/in_order_machine.h"
#include "sim/execution/loaded_values.h"
#include "sim/pricing/known_memory.h"

namespace okksim::sim::execution {

/// FaultRecord::function of a run without data that needs a value of a run with data.
inline constexpr const char* kRunWithoutData = "run without data";

/// A port for firmware that only computes a machine's times, without data. Its control processor
/// can load constants, bytes that it has stored, and given values of a run. Any other load is a
/// ProgramFault. Local memory reads as zeros, for which kernels find no violated conditions.
class TimedPort final : public isa::CommandPort {
 public:
    /// All arguments must outlive the port. `values` may be nullptr.
    TimedPort(const models::MachineParams& params, const pricing::KnownMemory& constants,
              const LoadedValues* values);

    models::InOrderMachine& timing() { return timing_; }
    /// Marks that a kernel of a user runs. It could access any address, so pointers are refused.
    void set_custom(bool runs) { custom_ = runs; }

    const isa::MachineShape& machine() const override { return timing_.machine(); }
    void submit(const isa::Command& command) override { timing_.submit(command); }
    void wait_until_idle() override { timing_.wait_until_idle(); }
    void charge(isa::FirmwareCall call) override { timing_.charge(call); }
    void compute(const isa::Computation& computation) override { timing_.compute(computation); }
    void access(const isa::ProcessorAccess& access) override;
    void* local_pointer(isa::LocalAddr addr) override;
    void* system_pointer(std::uint64_t addr) override;

 private:
    void load(std::uint64_t address, std::uint64_t bytes);
    /// Returns the next given value.
    const std::vector<std::byte>& next_value(std::uint64_t bytes);

    models::InOrderMachine timing_;
    const pricing::KnownMemory& constants_;
    const LoadedValues* values_;
    std::size_t next_value_ = 0;
    bool custom_ = false;
    OwnBytes own_;
    OwnBytes given_;
    std::vector<std::uint64_t> zeros_;
};

}  // namespace okksim::sim::execution
