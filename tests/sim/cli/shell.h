// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/sim/cli/run_program.h"

namespace okksim::tests {

/// Runs a shell command line in the program's folder; $P is the program, $K a kernel library. Its
/// output goes to .out and .err.
inline int shell(const Program& program, const std::string& line) {
    const std::string command = "cd " + program.folder().string() +
                                " && P=" OKKSIM_PROGRAM " K=" OKKSIM_CLI_KERNELS " && { " + line +
                                "; } 2> .err > .out < /dev/null";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Temporary output files that still exist.
inline std::size_t leftovers(const Program& program) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(program.folder())) {
        count += entry.path().filename().string().starts_with(".okksim-") ? 1 : 0;
    }
    return count;
}

}  // namespace okksim::tests
