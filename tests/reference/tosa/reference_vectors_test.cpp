// SPDX-License-Identifier: Apache-2.0
// The reference executor alone against the golden vectors. Its outputs, rounded to the output type,
// must pass the tests' own rules. Its bounds must equal the vectors' bounds.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/check/check_tree.h"
#include "sim/graph/formats/graph_formats.h"
#include "tests/reference/tosa/tosa_reference.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests {
namespace {

using sim::check::TestCase;
using sim::check::TestOutput;

std::vector<sim::graph::HostTensor> load_inputs(const TestCase& test,
                                                const sim::graph::Graph& graph) {
    const auto& main = graph.main();
    std::vector<sim::graph::HostTensor> inputs(main.inputs.size());
    for (std::size_t i = 0; i < main.inputs.size(); ++i) {
        const auto& tensor = main.tensors[main.inputs[i]];
        for (const auto& input : test.inputs) {
            if (input.name == tensor.name) {
                inputs[i] = sim::graph::load_tensor(input.file, tensor.type, tensor.shape);
            }
        }
    }
    return inputs;
}

bool same_elements(const reference::Value& value, const std::filesystem::path& file) {
    const auto wanted = sim::graph::read_npy(file);
    const auto got = reference::to_host(value);
    return std::equal(got.data.begin(), got.data.end(), wanted.data.begin(), wanted.data.end());
}

/// Compares bounds, which may differ from the vectors' bounds only by double-precision rounding.
bool same_bound(const reference::Value& value, const TestOutput& expected) {
    if (std::holds_alternative<sim::check::RescaleInexactRule>(expected.rule)) {
        return same_elements(reference::least_value(value), expected.reference) &&
               same_elements(reference::most_value(value), *expected.bounds);
    }
    if (!std::holds_alternative<sim::check::DotProductRule>(expected.rule) &&
        !std::holds_alternative<sim::check::AbsErrorRule>(expected.rule)) {
        return true;
    }
    if (!expected.bounds || value.bound.empty()) return !expected.bounds;
    const auto array = sim::graph::read_npy(*expected.bounds);
    for (std::size_t i = 0; i < value.bound.size(); ++i) {
        double wanted;
        std::memcpy(&wanted, array.data.data() + 8 * i, 8);
        // Sines of multiples of pi are not exactly zero in the vectors.
        if (std::isnan(wanted) && std::isnan(value.bound[i])) continue;
        if (wanted == value.bound[i]) continue;
        if (!(std::abs(wanted - value.bound[i]) <= 1e-9 * std::abs(wanted) + 1e-12)) return false;
    }
    return true;
}

std::string judge(const TestOutput& expected, const reference::Value& value) {
    const auto verdict = sim::check::check_output(expected, reference::to_host(value));
    if (!verdict.passed) return expected.name + ": " + verdict.text();
    return same_bound(value, expected) ? "" : expected.name + ": the bound differs";
}

std::string run(const TestCase& test) {
    const auto graph = sim::graph::load_graph(test.graph);
    const auto inputs = load_inputs(test, graph);
    const auto result = reference::run_reference(graph, inputs);
    const auto& main = graph.main();
    for (const auto& expected : test.outputs) {
        for (std::size_t i = 0; i < main.outputs.size(); ++i) {
            if (main.tensors[main.outputs[i]].name != expected.name) continue;
            if (const auto text = judge(expected, result.outputs[i]); !text.empty()) return text;
        }
    }
    for (const auto& expected : test.variables) {
        for (std::size_t i = 0; i < graph.variables.size(); ++i) {
            if (graph.variables[i].name != expected.name) continue;
            if (const auto text = judge(expected, result.variables[i]); !text.empty()) return text;
        }
    }
    return "";
}

}  // namespace

TEST_CASE("The TOSA reference agrees with every golden vector", "[golden]") {
    const auto root = needed_golden_dir();
    if (!root) return;
    std::size_t cases = 0;
    for (const auto& folder : sim::check::find_test_cases(*root / "tosa")) {
        const TestCase test = sim::check::load_test_case(folder);
        if (test.expects_rejection) continue;
        ++cases;
        INFO(folder.string());
        CHECK(run(test) == "");
    }
    CHECK(cases > 0);
}

}  // namespace okksim::tests
