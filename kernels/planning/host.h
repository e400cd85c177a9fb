// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <ratio>
#include <vector>

#include "isa/types.h"
#include "kernels/call/tensor.h"

namespace okksim::kernels {

using Duration = std::chrono::duration<std::int64_t, std::pico>;

/// Isolated cost of firmware on a machine: the sum over all commands, without waiting.
struct Work {
    Duration processor{};  ///< the control processor's calls and commands
    std::array<Duration, 2> engines{};
    std::int64_t commands = 0;

    Duration of(isa::Engine engine) const { return engines[static_cast<std::size_t>(engine)]; }
    Work& operator+=(const Work& other) {
        processor += other.processor;
        for (std::size_t i = 0; i < engines.size(); ++i) engines[i] += other.engines[i];
        commands += other.commands;
        return *this;
    }
    Work& operator-=(const Work& other) {
        processor -= other.processor;
        for (std::size_t i = 0; i < engines.size(); ++i) engines[i] -= other.engines[i];
        commands -= other.commands;
        return *this;
    }
};

/// Issues okk calls: a whole kernel or some of its commands.
using Firmware = std::function<void()>;

/// Information for a planner before a launch: the machine, its prices, and the known values.
/// Planners run on the host. They make okk calls only through work() and time(). The simulator
/// implements this interface with its cost models, so that a kernel contains no number of a
/// particular machine.
class Host {
 public:
    virtual ~Host() = default;

    virtual const isa::MachineShape& machine() const = 0;
    /// Period in bytes: commands whose addresses in system memory differ by a multiple of it cost
    /// the same.
    virtual std::uint64_t alignment_bytes() const = 0;
    /// Cost of the firmware's commands, each alone on an idle machine.
    virtual Work work(const Firmware& firmware) = 0;
    /// The time from the firmware's first call until all its commands are done, on an idle machine.
    /// Returns nothing if that exceeds `limit`.
    virtual std::optional<Duration> time_within(Duration limit, const Firmware& firmware) = 0;
    Duration time(const Firmware& firmware) { return *time_within(Duration::max(), firmware); }
    /// The values of an integer tensor, or the bits of an fp32 one. Returns nothing if they exist
    /// only at run time; a planner must not assume any particular value then.
    virtual std::optional<std::vector<std::int64_t>> values(const DeviceTensor& tensor) = 0;
};

}  // namespace okksim::kernels
