// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/chip/command_observer.h"
#include "models/chip/order_check.h"
#include "models/memory/written_map.h"

namespace okksim::models {

/// What a finding is about.
enum class FindingKind : std::uint8_t {
    kUnwrittenRead,  ///< a command reads memory that nobody has written
    kHazard,         ///< two commands that nothing orders touch the same memory
};

std::string_view finding_kind_name(FindingKind kind);

/// A probable mistake of the firmware that does not stop it.
struct Finding {
    FindingKind kind = FindingKind::kUnwrittenRead;
    std::string message;                ///< what, where, and what to do
    std::vector<std::string> commands;  ///< disassembly with ids, in program order
};

/// Findings of one launch. Each kind of mistake (same instructions and operands) is described once;
/// `total` counts all.
struct FindingList {
    std::vector<Finding> findings;
    std::uint64_t total = 0;
};

/// Looks for mistakes that have no effect on the simulation: reads of memory that nobody has
/// written, and races between the engines.
class Diagnostics : public CommandObserver {
 public:
    Diagnostics(const isa::MachineShape& machine, LocalMemory& local, SystemMemory& system);

    /// A new program begins.
    void launch();
    void submitted(const isa::Command& command) override;
    /// The command is about to take effect.
    void take_effect(const isa::Command& command);
    /// Notes what the host has written.
    void host_wrote(std::uint64_t address, std::uint64_t bytes) {
        written_.mark_system(address, bytes);
    }

    /// Hands out what was found since the last call.
    FindingList take();

 private:
    /// A kind of mistake: instructions and operands.
    struct Key {
        FindingKind kind;
        std::array<isa::Opcode, 2> opcodes;
        std::array<const char*, 2> operands;
        auto operator<=>(const Key&) const = default;
    };

    /// Counts a finding; true when it is the first of its kind.
    bool is_new(const Key& key);

    isa::MachineShape machine_;
    LocalMemory& local_;
    SystemMemory& system_;
    WrittenMap written_;
    OrderCheck order_;
    FindingList found_;
    std::set<Key> seen_;
};

}  // namespace okksim::models
