// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_reader.h"

#include "sim/graph/schedule.h"
#include "sim/graph/tflite/tflite_model.h"

namespace okksim::sim::graph {

bool probe_tflite(std::span<const std::byte> bytes) { return tflite::has_identifier(bytes); }

Graph read_tflite(const GraphSource& source, const ReadOptions& options) {
    Graph graph = tflite::Model(source, options).read();
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
