// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/formats/graph_writers.h"

#include <string>
#include <utility>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "sim/graph/file_forms.h"
#include "sim/graph/host_tensor.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"

namespace okksim::sim::graph {

namespace {

struct GraphWriter {
    std::string_view extension;
    FeatureSet beyond_v1;  ///< features beyond 1.0 that the format supports
    bool says_elements;    ///< can store the element types of .npy files
    void (*save)(const Graph&, const std::filesystem::path&);
};
constexpr GraphWriter kWriters[] = {
    {".tosa", 0, false, &save_graph},
    {".mlir", feature_bit(Feature::kMlirDialect), true, &save_mlir}};

/// Validates the graph with the features `beyond` 1.0. Throws ProgramFault.
void validate_as(Graph& graph, FeatureSet beyond) {
    graph.beyond_v1 = beyond;
    validate_graph(graph);
}

/// Returns the extension of a format that can represent the graph; empty if there is none.
std::string_view form_that_says(Graph& graph, FeatureSet beyond) {
    for (const GraphWriter& writer : kWriters) {
        try {
            validate_as(graph, beyond & writer.beyond_v1);
            return writer.extension;
        } catch (const ProgramFault&) {  // try the next format
        }
    }
    return {};
}

/// Restricts the graph to the features of the writer's format. Removing unused features is not an
/// error.
void require_sayable(Graph& graph, const GraphWriter& writer) {
    const FeatureSet beyond = graph.beyond_v1;
    if ((beyond & ~writer.beyond_v1) == 0) return;
    try {
        validate_as(graph, beyond & writer.beyond_v1);
    } catch (const ProgramFault& fault) {
        validate_as(graph, beyond);  // a fault in the graph's own format takes precedence
        const std::string_view other = form_that_says(graph, beyond);
        FaultRecord record = fault.record();
        record.code = FaultCode::kUnsupported;
        record.advice = "a " + std::string(writer.extension) + " file cannot hold this graph: " +
                        (other.empty() ? "run it in its present form"
                                       : "write a " + std::string(other) + " file");
        throw ProgramFault(std::move(record));
    }
}

/// The written graph must use the same input and output files when it runs.
void require_elements(const Graph& graph, const GraphWriter& writer) {
    const Tensor* const special = writer.says_elements ? nullptr : find_special_elements(graph);
    if (special == nullptr) return;
    throw ConfigError(
        "a " + std::string(writer.extension) + " file",
        "cannot say that the elements of \"" + special->name.text() + "\" are " +
            npy_descr(special->words == FileWords::kNone ? special->type : DType::kI48,
                      special->is_unsigned, special->words)
                .substr(1) +
            " in .npy files: write a .mlir file");
}

/// Stores the text position of each operator as its location. Operators keep an existing location,
/// and remain without one if the text did not record it.
void keep_places(Graph& graph) {
    for (Region& region : graph.regions) {
        for (Block& block : region.blocks) {
            for (Operator& op : block.operators) {
                // Without a column, the text came from a graph that had no locations.
                if (op.line == 0 || op.column == 0 || !op.location.empty()) continue;
                op.location = graph.own_text(block.origin(op));
            }
        }
    }
}

}  // namespace

const Tensor* find_special_elements(const Graph& graph) {
    const Block& main = graph.main();
    for (const auto* list : {&main.inputs, &main.outputs}) {
        for (const TensorIndex index : *list) {
            const Tensor& tensor = main.tensors[index];
            if (tensor.is_unsigned || tensor.words != FileWords::kNone) return &tensor;
        }
    }
    return nullptr;
}

void save_graph_as(Graph graph, const std::filesystem::path& path) {
    std::string known;
    for (const GraphWriter& writer : kWriters) {
        known += (known.empty() ? "" : ", ") + std::string(writer.extension);
        if (path.extension() != writer.extension) continue;
        graph.version = Version{};  // all writers write the current version
        require_sayable(graph, writer);
        const std::string problem = form_problem(graph);
        if (!problem.empty()) {
            throw ConfigError("a " + std::string(writer.extension) + " file", problem);
        }
        require_elements(graph, writer);
        keep_places(graph);
        return writer.save(graph, path);
    }
    throw ConfigError(path.string(),
                      "the extension names no output format; the formats are: " + known);
}

}  // namespace okksim::sim::graph
