// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "isa/command.h"
#include "models/memory/banks.h"

namespace okksim::models {

/// Keeps which banks of local memory the engines work on, so that a command can be charged for the
/// time in which an earlier one of the other engine uses the same bank. "Earlier" is by program
/// order: of every two commands that meet, the one issued later waits.
class BankWatch {
 public:
    void started(isa::Engine engine, isa::CommandId id, const BankUse& use);
    void finished(isa::Engine engine, Picoseconds end);
    /// Time that the command under way, would it end at `end`, shares banks with commands of the
    /// other engine up to id `issued_before`.
    Picoseconds shared(isa::Engine engine, Picoseconds end, isa::CommandId issued_before) const;

 private:
    struct Entry {
        isa::CommandId id = 0;
        BankUse use;
    };
    struct State {
        std::optional<Entry> running;
        std::vector<Entry> met;  ///< retired while the other engine's command was under way
    };

    static std::size_t index(isa::Engine engine) { return static_cast<std::size_t>(engine); }

    std::array<State, 2> engines_;
};

}  // namespace okksim::models
