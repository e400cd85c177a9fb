// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/machine/machine.h"
#include "tests/reference/tosa/random_case.h"

namespace okksim::tests {

/// Result of one case: the first difference, or an empty text.
struct DuelResult {
    std::string text;      ///< the case
    std::string failure;   ///< empty: simulator and reference agree
    std::string findings;  ///< the chip's diagnostics
};

/// Runs one random graph of an operator on the simulator and on the reference and compares the
/// results. Equal seeds give equal cases.
DuelResult duel(tosa::OpCode op, std::uint64_t seed, std::int64_t scale,
                const sim::Machine& machine);

}  // namespace okksim::tests
