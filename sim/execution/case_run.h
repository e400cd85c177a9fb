// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/check/check_tree.h"
#include "sim/execution/conformance_options.h"
#include "sim/graph/graph_format.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::execution {

/// Outputs and states of a test's graph, in the test's order.
struct CaseValues {
    std::string warnings;
    std::vector<graph::HostTensor> outputs;
    std::vector<graph::HostTensor> variables;
    double microseconds = 0;
};

/// Returns options that know the test's inputs, of which some may decide shapes.
graph::ReadOptions case_read_options(const check::TestCase& test);

/// Runs a graph on the test's inputs. Throws ProgramFault if the graph or run is refused, and
/// ConfigError if the test does not fit the graph.
CaseValues run_case_graph(const check::TestCase& test, const graph::Graph& graph,
                          const ConformanceOptions& options);

}  // namespace okksim::sim::execution
