// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/finding.h"
#include "models/chip/order_check.h"
#include "models/memory/undefined_words.h"
#include "models/memory/written_map.h"
#include "models/sequencer/command_observer.h"

namespace okksim::models {

/// Looks for mistakes that have no effect on the simulation: reads of memory that nobody has
/// written, and races between the engines.
class Diagnostics : public CommandObserver {
 public:
    /// `engines`: how many of them take commands. `effect` carries a command out on the memories.
    Diagnostics(const isa::MachineShape& machine, std::size_t engines, LocalMemory& local,
                SystemMemory& system, UndefinedWords::Effect effect);

    void launch_started(Picoseconds time) override;
    void submitted(const isa::Command& command) override;
    /// The command is about to take effect.
    void take_effect(const isa::Command& command);
    /// Notes what the host has written.
    void host_wrote(std::uint64_t address, std::uint64_t bytes) {
        written_.mark_system(address, bytes);
    }

    /// Commands come from kernels of users: what issues them is named in findings, and values and
    /// places that only such kernels get wrong are looked at too. `issuing` gives the address
    /// behind the call that is issuing a command now, `describe` what stands there.
    void watch_users(std::function<const void*()> issuing,
                     std::function<std::string(const void*)> describe);

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

    /// Follows values that nobody has written until a result depends on them.
    void follow_undefined(const isa::Command& command);
    /// The command with what has issued it, when that is known.
    std::string text_of(const isa::Command& command) const;
    void add(Key key, std::string message, std::vector<std::string> commands);

    isa::MachineShape machine_;
    LocalMemory& local_;
    SystemMemory& system_;
    WrittenMap written_;
    UndefinedWords undefined_;
    /// The first command that read unwritten memory and whose results were carried on.
    std::optional<std::string> origin_;
    OrderCheck order_;
    std::vector<Finding> found_;
    std::set<Key> seen_;
    std::function<const void*()> issuing_;  ///< unset: nobody watches
    std::function<std::string(const void*)> describe_;
    /// By kind of engine and command id.
    std::array<std::vector<const void*>, isa::kEngineKinds> sites_;
};

}  // namespace okksim::models
