// SPDX-License-Identifier: Apache-2.0
#include <ctime>
#include <iostream>

#include "isa/rules.h"
#include "tests/isa/golden_commands.h"
#include "tests/support/catch.h"

namespace okksim::tests {

TEST_CASE("every golden command that should run is accepted", "[golden]") {
    const std::vector<GoldenCommand> commands = golden_commands();
    if (commands.empty()) return;
    const isa::MachineShape machine = okk_machine_shape();
    int checked = 0;
    for (const GoldenCommand& golden : commands) {
        if (!golden.untagged && !golden.derived && !golden.doc_conflict) continue;
        const auto violation = isa::check(golden.command, machine, true);
        if (violation) {
            FAIL_CHECK(golden.id << ": " << violation->argument << " = " << violation->value
                                 << "; rule: " << violation->rule);
        }
        ++checked;
    }
    CHECK(checked >= 103 * 3);
}

// A measurement without a limit; run it with "[.speed]".
TEST_CASE("time of one check", "[.speed]") {
    const std::vector<GoldenCommand> commands = golden_commands();
    const isa::MachineShape machine = okk_machine_shape();
    int violations = 0;
    constexpr int kRounds = 5000;
    // Processor time, which other programs do not affect.
    const std::clock_t start = std::clock();
    for (int round = 0; round < kRounds; ++round) {
        for (const GoldenCommand& golden : commands) {
            violations += isa::check(golden.command, machine, true).has_value() ? 1 : 0;
        }
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    std::cout << seconds * 1e9 / kRounds / static_cast<double>(commands.size()) << " ns per check, "
              << violations / kRounds << " violations\n";
}

}  // namespace okksim::tests
