// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "models/chip/functional_port.h"
#include "sim/why/recorded_events.h"

namespace okksim::sim::why {

/// Memory as it was at a place of a recording: commands are carried out again from the checkpoint
/// before it.
class RecordedMemory {
 public:
    /// `compares`: results with the CRCs of the recording.
    RecordedMemory(const Recording& recording, const Machine& machine, bool compares);

    /// Events before the place where it stands.
    std::size_t position() const { return position_; }
    /// To where `event` is the next, forward or backward.
    void move_to(std::size_t event);
    models::FunctionalPort& port() { return *port_; }

    /// The first command that wrote something else than when it was recorded.
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
    const Checkpoint* from_ = nullptr;  ///< where it began
    std::uint64_t commands_ = 0;        ///< since then
    std::optional<std::size_t> deviates_;
};

}  // namespace okksim::sim::why
