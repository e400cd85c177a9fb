// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "models/chip/functional_port.h"
#include "sim/why/recorded_events.h"

namespace okksim::sim::why {

/// Memory at a position of a recording. It executes commands again from the checkpoint before this
/// position.
class RecordedMemory {
 public:
    /// With `compares`, it compares results with the CRCs of the recording.
    RecordedMemory(const Recording& recording, const Machine& machine, bool compares);

    /// Returns the number of events before the position.
    std::size_t position() const { return position_; }
    /// Moves forward or backward to the position before `event`.
    void move_to(std::size_t event);
    models::FunctionalPort& port() { return *port_; }

    /// Returns the first command whose result differs from the recorded one.
    std::optional<std::size_t> deviates() const { return deviates_; }

 private:
    void start_at(const Checkpoint* checkpoint);
    void write(std::uint64_t address, std::span<const std::byte> data);
    void write(const Event& event);
    void step();

    const Recording& recording_;
    isa::MachineShape shape_;
    std::uint64_t local_start_;
    bool compares_;
    std::unique_ptr<models::FunctionalPort> port_;
    std::size_t position_ = 0;
    const Checkpoint* from_ = nullptr;  ///< the start of the execution
    std::uint64_t commands_ = 0;        ///< executed since `from_`
    std::optional<std::size_t> deviates_;
};

}  // namespace okksim::sim::why
