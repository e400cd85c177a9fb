// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::sim::graph {
struct Graph;
}

namespace okksim::sim::execution {

struct ModelRun;
struct ModelRunOptions;

/// Runs a graph in memory as run_model() runs a file: validates, plans, runs and checks it.
ModelRun run_graph(const graph::Graph& graph, const ModelRunOptions& options);

}  // namespace okksim::sim::execution
