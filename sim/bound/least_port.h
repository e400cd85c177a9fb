// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "firmware/calls/context.h"
#include "isa/command_port.h"
#include "kernels/planning/host.h"
#include "models/common/units.h"
#include "sim/bound/engine_need.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// Lower bounds for the commands of some firmware. They hold for any addresses in local memory and
/// any distribution of bytes over the channels of system memory.
struct LeastWork {
    std::array<models::Picoseconds, 2> engines{};
    std::int64_t commands = 0;

    models::Picoseconds of(isa::Engine engine) const {
        return engines[static_cast<std::size_t>(engine)];
    }
    models::Picoseconds time() const { return engines[0] + engines[1]; }
    void add(const LeastWork& other) {
        for (std::size_t i = 0; i < engines.size(); ++i) engines[i] += other.engines[i];
        commands += other.commands;
    }
};

/// Adds up lower bounds of command times, without bank conflicts and waiting.
class LeastPort final : public isa::CommandPort {
 public:
    explicit LeastPort(pricing::MachineHost& host);

    const isa::MachineShape& machine() const override { return host_.machine(); }
    void submit(const isa::Command& command) override;
    void wait_until_idle() override {}
    void charge(isa::FirmwareCall) override {}
    void compute(const isa::Computation&) override {}
    void access(const isa::ProcessorAccess& access) override { host_.memory().check(access); }
    void* local_pointer(isa::LocalAddr) override { return host_.memory().local(); }
    void* system_pointer(std::uint64_t address) override { return host_.memory().system(address); }

    /// Returns the sum since the last call, and resets it.
    LeastWork take();

 private:
    models::Picoseconds of_engine(const isa::Command& command) const;
    models::Picoseconds of_mover(const isa::Command& command) const;

    pricing::MachineHost& host_;
    EngineTimes times_;
    LeastWork work_;
};

/// Prices firmware with a LeastPort that is created once.
class LeastPrices {
 public:
    /// The host must outlive the object.
    explicit LeastPrices(pricing::MachineHost& host);

    LeastWork of(const kernels::Firmware& firmware);

 private:
    LeastPort port_;
    firmware::Context context_;
};

}  // namespace okksim::sim::bound
