// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/check/check_tree.h"
#include "sim/execution/conformance_options.h"
#include "sim/graph/graph_format.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::execution {

/// Outputs and states of a test's graph, in the order that the test lists them.
struct CaseValues {
    std::string warnings;
    std::vector<graph::HostTensor> outputs;
    std::vector<graph::HostTensor> variables;
    double microseconds = 0;
};

/// Inputs that are shapes are known when the graph is read. `test` must live as long.
graph::ReadOptions case_read_options(const check::TestCase& test);

/// Runs a graph on the test's inputs. ProgramFault for graphs and runs that are refused,
/// ConfigError for tests that do not fit the graph.
CaseValues run_case_graph(const check::TestCase& test, const graph::Graph& graph,
                          const ConformanceOptions& options);

}  // namespace okksim::sim::execution
