// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_problem.h"
#include "sim/graph/validate/validate.h"

/// Texts of the MLIR dialect for tests.
namespace okksim::sim::graph {

inline Graph read_text(const std::string& text, const ReadOptions& options = {}) {
    const auto owner = std::make_shared<const std::string>(text);
    Graph graph = read_graph(std::as_bytes(std::span(*owner)), owner, "net.mlir", options);
    validate_graph(graph);
    return graph;
}

/// "line:column message" of the first problem, or "none".
inline std::string first_problem(const std::string& text) {
    try {
        read_text(text);
    } catch (const GraphTextError& error) {
        const TextProblem& problem = error.problems().front();
        return std::to_string(problem.line) + ":" + std::to_string(problem.column) + " " +
               problem.message;
    }
    return "none";
}

}  // namespace okksim::sim::graph
