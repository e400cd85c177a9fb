// SPDX-License-Identifier: Apache-2.0
// The whole API on the functional model against the golden vectors, by function name.
#include <set>
#include <string>

#include "firmware/calls/call_by_name.h"
#include "sim/golden/golden_run.h"
#include "tests/support/catch.h"
#include "tests/support/golden_cases.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests {

namespace {

std::string function_of(const GoldenResult& result) {
    return result.id.substr(0, result.id.rfind('-'));
}

}  // namespace

TEST_CASE("every documented function passes its golden vectors", "[golden]") {
    const auto dir = needed_golden_dir();
    if (!dir) return;
    std::set<std::string> functions;
    std::set<std::string> conflicts;  // functions whose vectors contradict the API reference
    std::size_t passed = 0;
    const auto run = [&](const std::string& function, bool sdk_quirks) {
        const auto results = run_golden({.dir = *dir / "okk",
                                         .function = function,
                                         .machine = okk_machine_shape(),
                                         .sdk_quirks = sdk_quirks},
                                        [](std::size_t, std::size_t) {});
        for (const GoldenResult& result : results) {
            functions.insert(function_of(result));
            if (result.status == GoldenStatus::kSkipped) {
                const bool conflict = result.detail.find("--sdk-quirks") != std::string::npos;
                if (conflict) conflicts.insert(function_of(result));
                continue;
            }
            INFO(result.id);
            CHECK(result.detail == "");
            passed += result.status == GoldenStatus::kPassed ? 1 : 0;
        }
    };
    run("", false);
    CHECK(firmware::documented_functions().size() == 119);
    CHECK(functions.size() == 119);
    for (const std::string& function : conflicts) run(function, true);
    WARN(passed << " golden cases passed");
}

}  // namespace okksim::tests
