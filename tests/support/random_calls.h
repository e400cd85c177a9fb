// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/calls/call_value.h"
#include "isa/instructions.h"
#include "isa/types.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// A call of a documented function.
struct RandomCall {
    /// Bytes [low, high) of every lane.
    struct LaneBytes {
        std::int64_t low = 0;
        std::int64_t high = 0;
    };

    std::string function;
    firmware::CallValues arguments;
    std::vector<LaneBytes> work;  ///< work tensors: their contents after a call are undefined

    /// Returns the call as C source, for messages.
    std::string text() const;
};

/// Enumerators of op_type_t that the API reference allows for a fixed-point function; empty for
/// functions without such an argument.
std::vector<std::int64_t> documented_op_types(const std::string& function,
                                              bool is_origin_dst_signed = false);

/// Makes random calls for a machine. Local tensors of one call do not overlap, but element-wise
/// functions sometimes work in-place and sources sometimes coincide.
class RandomCalls {
 public:
    /// Part of the system memories that calls use, from the start of each memory.
    static constexpr std::int64_t kSystemBytes = 32 * 1024;

    RandomCalls(const isa::MachineShape& machine, std::uint64_t seed)
        : machine_(machine), random_(seed) {}

    /// A call that breaks no documented restriction and stays inside all memories.
    RandomCall valid(const isa::InstructionInfo& row);

    /// Returns a call of any of the 119 functions with arbitrary arguments, often nearly valid.
    RandomCall anything();

    RandomSource& random() { return random_; }

 private:
    firmware::CallValue spoil(const firmware::CallValue& value);
    std::int64_t nasty_integer(std::int64_t value);

    isa::MachineShape machine_;
    RandomSource random_;
};

}  // namespace okksim::tests
