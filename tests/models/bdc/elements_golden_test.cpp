// SPDX-License-Identifier: Apache-2.0
// Golden vectors of every function that is one element-wise, fixed-point or copy command.
#include <algorithm>
#include <iostream>
#include <string>

#include "isa/base/errors.h"
#include "models/bdc/bdc_semantics.h"
#include "models/gdma/gdma_semantics.h"
#include "tests/support/catch.h"
#include "tests/support/golden_call_values.h"
#include "tests/support/golden_dir.h"
#include "tests/support/okk_call_commands.h"

namespace okksim::tests {
namespace {

/// Untagged cases and those with data derived from an equivalent call.
bool enforced(const OkkCase& golden) {
    return std::all_of(golden.tags.begin(), golden.tags.end(),
                       [](const std::string& tag) { return tag == "derived"; });
}

}  // namespace

TEST_CASE("element-wise, fixed-point and copy commands pass their golden vectors", "[golden]") {
    const auto dir = needed_golden_dir();
    if (!dir) return;
    const isa::MachineShape machine = okk_machine_shape();
    models::LocalMemory local(machine);
    models::SystemMemory system(machine);
    models::LanePool pool;
    OkkMemoryCheck check(local, &system, machine);
    int cases = 0;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (!row.is_command() || !row.is_documented() || is_layer(row)) continue;
        const OkkFunction function =
            load_okk_function(*dir / "okk", std::string("okk_") + row.name);
        for (const OkkCase& golden : function.cases) {
            if (!enforced(golden)) continue;
            INFO(golden.id << ": " << golden.description);
            check.load(function, golden);
            const isa::Command command = command_of_call(
                row, okk_call_values(function, golden.arguments(), machine), machine);
            if (row.engine == isa::Engine::kGdma) {
                models::execute_gdma(command, local, system);
            } else {
                models::execute_bdc(command, local, pool);
            }
            const auto difference = check.compare(function, golden);
            if (difference) FAIL_CHECK(*difference);
            ++cases;
        }
    }
    std::cout << cases << " golden cases of single commands\n";
    CHECK(cases > 0);
}

}  // namespace okksim::tests
