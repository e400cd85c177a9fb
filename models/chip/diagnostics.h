// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <set>
#include <vector>

#include "isa/finding.h"
#include "models/chip/order_check.h"
#include "models/memory/written_map.h"
#include "models/sequencer/command_observer.h"

namespace okksim::models {

/// Looks for mistakes that have no effect on the simulation: reads of memory that nobody has
/// written, and races between the engines.
class Diagnostics : public CommandObserver {
 public:
    Diagnostics(const isa::MachineShape& machine, LocalMemory& local, SystemMemory& system);

    void launch_started(Picoseconds time) override;
    void submitted(const isa::Command& command) override;
    /// The command is about to take effect.
    void take_effect(const isa::Command& command);
    /// Notes what the host has written.
    void host_wrote(std::uint64_t address, std::uint64_t bytes) {
        written_.mark_system(address, bytes);
    }

    /// Hands out what was found since the last call: each kind of mistake (same instructions and
    /// operands) once.
    std::vector<Finding> take();

 private:
    /// A kind of mistake: instructions and operands.
    struct Key {
        FindingKind kind;
        std::array<isa::Opcode, 2> opcodes;
        std::array<const char*, 2> operands;
        auto operator<=>(const Key&) const = default;
    };

    isa::MachineShape machine_;
    LocalMemory& local_;
    SystemMemory& system_;
    WrittenMap written_;
    OrderCheck order_;
    std::vector<Finding> found_;
    std::set<Key> seen_;
};

}  // namespace okksim::models
