// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/fitted_parameters.h"

#include <algorithm>
#include <set>

#include "sim/lab/fidelity/parameter_sources.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim::sim;

TEST_CASE("The fitted parameters are those whose source says so, and within their ranges") {
    const Machine machine = load_machine("bm1684");
    std::set<std::string> by_source;
    for (const ParameterRecord& parameter : machine.parameters) {
        if (parameter.source.find("fitted") != std::string::npos) by_source.insert(parameter.path);
    }
    std::set<std::string> listed;
    for (const fidelity::FittedParameter& parameter : fidelity::fitted_parameters()) {
        INFO(parameter.path);
        listed.insert(parameter.path);
        const double value = fidelity::parameter_value(machine, parameter.path);
        CHECK(value >= parameter.low);
        CHECK(value <= parameter.high);
    }
    CHECK(listed == by_source);
    CHECK(listed.size() <= fidelity::kMostFitted);
}

TEST_CASE("Each number of times tells the evidence that fixes it") {
    CHECK(fidelity::evidence("S") == "datasheet");
    CHECK(fidelity::evidence("S: LPDDR4") == "datasheet");
    CHECK(fidelity::evidence("M: 13 GB/s") == "measurement");
    CHECK(fidelity::evidence("E: fc") == "estimator");
    CHECK(fidelity::evidence("D: pages of 2 KiB") == "law");
    CHECK(fidelity::evidence("fitted (of 1, 2)") == "fit");
    CHECK(fidelity::evidence("assumed") == "assumption");
    CHECK(fidelity::evidence("--set bdc.startup_cycles=1") == "user");

    const auto parameters = fidelity::fixed_parameters(load_machine("bm1684"));
    std::set<std::string> fitted;
    for (const fidelity::FixedParameter& parameter : parameters) {
        INFO(parameter.path << " " << parameter.source);
        CHECK(parameter.by != "user");
        if (parameter.by == "fit") fitted.insert(parameter.path);
    }
    std::set<std::string> listed;
    for (const auto& parameter : fidelity::fitted_parameters()) listed.insert(parameter.path);
    CHECK(fitted == listed);

    const auto changed = fidelity::fixed_parameters(load_machine("bm1684", {"bdc.copy_cycles=2"}));
    const auto copy =
        std::ranges::find(changed, "bdc.copy_cycles", &fidelity::FixedParameter::path);
    REQUIRE(copy != changed.end());
    CHECK(copy->by == "user");
}

TEST_CASE("Each perturbed machine differs in one parameter by 10 %") {
    const auto machines = fidelity::perturbed_machines("bm1684", {});
    REQUIRE(machines.size() == 1 + 2 * fidelity::fitted_parameters().size());
    for (std::size_t i = 1; i < machines.size(); ++i) {
        std::size_t differences = 0;
        for (std::size_t p = 0; p < machines[i].parameters.size(); ++p) {
            differences += machines[i].parameters[p].value != machines[0].parameters[p].value;
        }
        CHECK(differences == 1);
    }
    // 1765 cycles, 10 % lower and higher.
    CHECK(fidelity::parameter_value(machines[1], "mcu.command_cycles") == 1589);
    CHECK(fidelity::parameter_value(machines[2], "mcu.command_cycles") == 1942);
}

}  // namespace
