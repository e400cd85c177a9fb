// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/formats/graph_writers.h"

#include <string>
#include <utility>

#include "isa/errors.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"

namespace okksim::sim::graph {

namespace {

struct GraphWriter {
    std::string_view extension;
    FeatureSet beyond_v1;  ///< Graph::beyond_v1 of graphs that the form can say
    void (*save)(const Graph&, const std::filesystem::path&);
};
constexpr GraphWriter kWriters[] = {{".tosa", 0, &save_graph},
                                    {".mlir", feature_bit(Feature::kMlirDialect), &save_mlir}};

/// Where an operator stands in the text that it was read from goes with it, unless that says itself
/// where it comes from.
void keep_places(Graph& graph) {
    for (Region& region : graph.regions) {
        for (Block& block : region.blocks) {
            for (Operator& op : block.operators) {
                if (op.line == 0 || !op.location.empty()) continue;
                op.location = graph.own_text(block.origin(op));
            }
        }
    }
}

}  // namespace

void save_graph_as(Graph graph, const std::filesystem::path& path) {
    std::string known;
    for (const GraphWriter& writer : kWriters) {
        known += (known.empty() ? "" : ", ") + std::string(writer.extension);
        if (path.extension() != writer.extension) continue;
        if (graph.version.major == 0) graph.version = Version{};
        const FeatureSet beyond =
            std::exchange(graph.beyond_v1, graph.beyond_v1 & writer.beyond_v1);
        if (graph.beyond_v1 != beyond) validate_graph(graph);
        keep_places(graph);
        return writer.save(graph, path);
    }
    throw ConfigError(path.string(), "the extension names no form that is written: " + known);
}

}  // namespace okksim::sim::graph
