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

/// What some firmware asks of a machine: every command by itself, nothing waiting for anything.
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

/// Issues okk calls: a whole kernel or some commands of one.
using Firmware = std::function<void()>;

/// What a planner may ask before a launch: the machine, its prices, and the values that are known.
/// Planners run on the host: they make no okk calls but through work() and time(). The simulator
/// implements this with the timing laws of its models, so that a kernel holds no number of any
/// machine.
class Host {
 public:
    virtual ~Host() = default;

    virtual const isa::MachineShape& machine() const = 0;
    /// Commands whose addresses in system memory differ by a multiple of this many bytes cost the
    /// same.
    virtual std::uint64_t alignment_bytes() const = 0;
    /// What the firmware's commands cost, each alone on an idle machine.
    virtual Work work(const Firmware& firmware) = 0;
    /// The time from the firmware's first call until all its commands are done, on a machine that
    /// was idle before; nothing when that is more than `limit`.
    virtual std::optional<Duration> time_within(Duration limit, const Firmware& firmware) = 0;
    Duration time(const Firmware& firmware) { return *time_within(Duration::max(), firmware); }
    /// The values of a tensor of integers, the bits of one of fp32; nothing when they exist only at
    /// run time, which a planner must not take for any value in particular.
    virtual std::optional<std::vector<std::int64_t>> values(const DeviceTensor& tensor) = 0;
};

}  // namespace okksim::kernels
