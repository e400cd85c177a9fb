// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace okksim::kernels::rows {

/// Commands of a program, both included.
struct Lifetime {
    int first = 0, last = 0;
};

/// Of every value of a program: from the command that makes it, or the first one, to the last one
/// that takes it.
template <typename Program>
std::vector<Lifetime> lifetimes_of(const Program& program) {
    std::vector<Lifetime> lifetimes(program.values.size());
    for (std::size_t i = 0; i < program.commands.size(); ++i) {
        const auto at = static_cast<int>(i);
        lifetimes[static_cast<std::size_t>(program.commands[i].result)] = {at, at};
        for (const int operand : program.commands[i].operands) {
            if (operand >= 0) lifetimes[static_cast<std::size_t>(operand)].last = at;
        }
    }
    return lifetimes;
}

}  // namespace okksim::kernels::rows
