// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace okksim::kernels::rows {

/// Live range in commands of a program, both included.
struct Lifetime {
    int first = 0, last = 0;
};

/// Live range of every value: from the command that computes it, or the first one, to its last
/// reader.
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
