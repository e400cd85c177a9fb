// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/case_twins.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "isa/base/fault.h"
#include "sim/graph/file_forms.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/formats/graph_writers.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"

namespace okksim::sim::execution {

namespace {

using graph::FeatureSet;
using graph::Graph;

std::string difference(const std::vector<check::TestOutput>& names,
                       const std::vector<graph::HostTensor>& wanted,
                       const std::vector<graph::HostTensor>& got) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (got[i].shape != wanted[i].shape || !std::ranges::equal(got[i].data, wanted[i].data)) {
            return names[i].name + " has other bytes";
        }
    }
    return {};
}

/// Runs another form of the test's graph, and returns the first difference.
std::string judge_twin(const CaseRun& run, const check::TestCase& test, const Graph& twin,
                       const char* form) {
    const CaseValues values = run_case_graph(test, twin, run.options);
    std::string what = difference(test.outputs, run.values.outputs, values.outputs);
    if (what.empty()) what = difference(test.variables, run.values.variables, values.variables);
    if (what.empty() && values.microseconds != run.values.microseconds) {
        what = fmt::format("takes {} us, expected {} us", values.microseconds,
                           run.values.microseconds);
    }
    return what.empty() ? "" : fmt::format("as {}: {}", form, what);
}

Graph read_again(const CaseRun& run, std::vector<std::uint8_t> bytes) {
    const auto owner = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
    return graph::read_graph(std::as_bytes(std::span(*owner)), owner, run.test.graph.string(),
                             case_read_options(run.test));
}

/// Returns the graph in a form with only these features in addition to TOSA 1.0. Returns no value
/// if the graph cannot be expressed so.
std::optional<Graph> sayable(const Graph& graph, FeatureSet beyond_v1) {
    Graph written = graph;
    written.version = {};
    written.beyond_v1 &= beyond_v1;
    try {
        graph::validate_graph(written);
        return written;
    } catch (const ProgramFault&) {
        return std::nullopt;
    }
}

}  // namespace

std::string judge_twins(const CaseRun& run, const std::optional<std::filesystem::path>& own_file) {
    if (own_file) {
        check::TestCase test = run.test;
        test.by_position = false;
        const Graph own = graph::load_graph(*own_file, case_read_options(run.test));
        const std::string what = judge_twin(run, test, own, "the test's own file");
        if (!what.empty()) return what;
    }
    // Other forms have neither values without elements nor dimensions that are merged.
    if (!graph::form_problem(run.graph).empty()) return {};
    const auto as_text = sayable(run.graph, graph::feature_bit(graph::Feature::kMlirDialect));
    if (!as_text) return {};
    const std::string text = graph::write_mlir(*as_text);
    const Graph from_text = read_again(run, {text.begin(), text.end()});
    if (graph::write_mlir(from_text) != text) return "as text: is another graph";
    std::string what = judge_twin(run, run.test, from_text, "text");
    const auto as_file = sayable(run.graph, 0);
    // The test's value files would not fit such a graph.
    if (!what.empty() || !as_file || graph::find_special_elements(run.graph) != nullptr)
        return what;
    const Graph from_file = read_again(run, graph::write_graph(*as_file));
    if (graph::write_mlir(from_file) != text) return "as a file of TOSA 1.0: is another graph";
    return judge_twin(run, run.test, from_file, "a file of TOSA 1.0");
}

}  // namespace okksim::sim::execution
