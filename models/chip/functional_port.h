// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "isa/command_port.h"
#include "models/common/lane_pool.h"
#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"

namespace okksim::models {

/// A machine without time: every command takes effect when it is submitted. For tests, golden runs
/// and tools that need results only. It does not show the effects of delayed commands.
class FunctionalPort : public isa::CommandPort {
 public:
    explicit FunctionalPort(const isa::MachineShape& shape, int threads = 1);

    const isa::MachineShape& machine() const override { return shape_; }
    /// Throws the exceptions of the semantics: ProgramFault for system ranges outside every memory.
    void submit(const isa::Command& command) override;
    void wait_until_idle() override {}
    void charge(isa::FirmwareCall) override {}
    void compute(const isa::Computation&) override {}
    void access(const isa::ProcessorAccess&) override {}
    void* local_pointer(isa::LocalAddr addr) override;
    void* system_pointer(std::uint64_t addr) override;
    void* system_bytes(std::uint64_t addr, std::uint64_t bytes) override;

    LocalMemory& local_memory() { return local_; }
    SystemMemory& system_memory() { return system_; }
    LanePool& pool() { return pool_; }

    /// Called with every command before it takes effect.
    void set_observer(std::function<void(const isa::Command&)> observer) {
        observer_ = std::move(observer);
    }

 private:
    isa::MachineShape shape_;
    LocalMemory local_;
    SystemMemory system_;
    LanePool pool_;
    std::function<void(const isa::Command&)> observer_;
};

}  // namespace okksim::models
