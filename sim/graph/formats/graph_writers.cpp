// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/formats/graph_writers.h"

#include <string>
#include <utility>

#include "isa/errors.h"
#include "isa/fault.h"
#include "sim/graph/host_tensor.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"

namespace okksim::sim::graph {

namespace {

struct GraphWriter {
    std::string_view extension;
    FeatureSet beyond_v1;  ///< Graph::beyond_v1 of graphs that the form can say
    bool says_elements;    ///< what elements of inputs and outputs are in files (.npy)
    void (*save)(const Graph&, const std::filesystem::path&);
};
constexpr GraphWriter kWriters[] = {
    {".tosa", 0, false, &save_graph},
    {".mlir", feature_bit(Feature::kMlirDialect), true, &save_mlir}};

/// Throws ProgramFault for what is wrong with the graph, its features beyond 1.0 being `beyond`.
void validate_as(Graph& graph, FeatureSet beyond) {
    graph.beyond_v1 = beyond;
    validate_graph(graph);
}

/// The extension of a form that can say the graph, or nothing.
std::string_view form_that_says(Graph& graph, FeatureSet beyond) {
    for (const GraphWriter& writer : kWriters) {
        try {
            validate_as(graph, beyond & writer.beyond_v1);
            return writer.extension;
        } catch (const ProgramFault&) {  // the next one may
        }
    }
    return {};
}

/// Leaves those features that the writer's form can say. The graph need not be wrong if that is
/// not all it has.
void require_sayable(Graph& graph, const GraphWriter& writer) {
    const FeatureSet beyond = graph.beyond_v1;
    if ((beyond & ~writer.beyond_v1) == 0) return;
    try {
        validate_as(graph, beyond & writer.beyond_v1);
    } catch (const ProgramFault& fault) {
        validate_as(graph, beyond);  // what its own form does not allow either is its own problem
        const std::string_view other = form_that_says(graph, beyond);
        FaultRecord record = fault.record();
        record.code = FaultCode::kUnsupported;
        record.advice = "a " + std::string(writer.extension) + " file cannot hold this graph: " +
                        (other.empty() ? "run it in its present form"
                                       : "write a " + std::string(other) + " file");
        throw ProgramFault(std::move(record));
    }
}

/// Running what is written takes and gives the same files.
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

/// Where an operator stands in the text that it was read from goes with it, unless that says itself
/// where it comes from, or that nobody knows.
void keep_places(Graph& graph) {
    for (Region& region : graph.regions) {
        for (Block& block : region.blocks) {
            for (Operator& op : block.operators) {
                // No column: the text was written from a graph that did not know either.
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
        graph.version = Version{};  // what is written is of this one, whatever was read
        require_sayable(graph, writer);
        require_elements(graph, writer);
        keep_places(graph);
        return writer.save(graph, path);
    }
    throw ConfigError(path.string(),
                      "the extension names no output format; the formats are: " + known);
}

}  // namespace okksim::sim::graph
