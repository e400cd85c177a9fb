// SPDX-License-Identifier: Apache-2.0
// The whole API on the functional model against the golden vectors, by function name.
#include <algorithm>
#include <map>

#include "firmware/call_by_name.h"
#include "firmware/context.h"
#include "firmware/okk.h"
#include "models/chip/functional_port.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"
#include "tests/support/okk_call_values.h"

namespace okksim::tests {

namespace {

/// Cases that follow the API reference, or with `quirks` those where the vendor's kit does not.
bool enforced(const OkkCase& golden, bool quirks) {
    if (quirks) return golden.tags == std::vector<std::string>{"doc_conflict"};
    return std::all_of(golden.tags.begin(), golden.tags.end(),
                       [](const std::string& tag) { return tag == "derived"; });
}

std::optional<std::string> check_result(const OkkCase& golden, const OkkCall& call,
                                        const firmware::CallResult& result) {
    if (golden.out && result.stride != golden.out) return "wrong strides";
    if (call.returns.is_null()) return std::nullopt;
    const std::int64_t expected = call.returns.is_boolean()
                                      ? static_cast<std::int64_t>(call.returns.get<bool>())
                                      : call.returns.get<std::int64_t>();
    return result.returned == expected ? std::nullopt
                                       : std::optional<std::string>("wrong return value");
}

/// What is wrong with one case, if anything.
std::optional<std::string> run_case(models::FunctionalPort& port, const OkkFunction& function,
                                    const std::map<std::string, OkkFunction>& functions,
                                    const OkkCase& golden, bool quirks) {
    firmware::ContextOptions options;
    options.sdk_quirks = quirks;
    firmware::Context context(port, options);
    const firmware::Context::Binding binding(context);
    okk_initialize();
    OkkMemoryCheck memory(port.local_memory(), &port.system_memory(), port.machine());
    memory.load(function, golden);
    for (const OkkCall& call : golden.calls) {
        const OkkFunction& callee = functions.at(call.function);
        const auto result = firmware::call_function(
            call.function, okk_call_values(callee, call.arguments, port.machine()));
        if (auto wrong = check_result(golden, call, result)) return wrong;
    }
    okk_poll();
    return memory.compare(function, golden);
}

}  // namespace

TEST_CASE("every documented function passes its golden vectors") {
    const auto dir = golden_dir();
    if (!dir) {
        WARN("skipped: no golden vectors (set OKKSIM_GOLDEN_DIR)");
        return;
    }
    std::map<std::string, OkkFunction> functions;
    for (const std::string& name : firmware::documented_functions()) {
        functions.emplace(name, load_okk_function(*dir / "okk", name));
    }
    CHECK(functions.size() == 119);
    models::FunctionalPort port(okk_machine_shape());
    std::size_t passed = 0;
    for (const bool quirks : {false, true}) {
        for (const auto& [name, function] : functions) {
            for (const OkkCase& golden : function.cases) {
                if (!enforced(golden, quirks)) continue;
                INFO(golden.id << ": " << golden.description);
                std::optional<std::string> wrong;
                try {
                    wrong = run_case(port, function, functions, golden, quirks);
                } catch (const ProgramFault& fault) {
                    wrong = fault.what();
                }
                CHECK(wrong.value_or("") == "");
                passed += wrong ? 0 : 1;
            }
        }
    }
    WARN(passed << " golden cases passed");
}

}  // namespace okksim::tests
