// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/formats/graph_formats.h"

#include <utility>

#include "isa/base/errors.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/foreign/foreign_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/mlir/mlir_reader.h"
#include "sim/graph/onnx/onnx_reader.h"
#include "sim/graph/tflite/tflite_reader.h"
#include "sim/graph/tosa_v090/tosa_v090_reader.h"
#include "sim/graph/tosa_v1/tosa_v1_reader.h"
#include "sim/graph/xmodel/xmodel_reader.h"

namespace okksim::sim::graph {

namespace {

constexpr GraphFormat kFormats[] = {
    {"TOSA 0.90 FlatBuffers", &probe_tosa_v090, &read_tosa_v090},
    {"TOSA 1.0 FlatBuffers", &probe_tosa_v1, &read_tosa_v1},
    {"OpLib / XModel", &probe_xmodel, &read_xmodel},
    {"TensorFlow Lite", &probe_tflite, &read_tflite, false, true},
    {"MLIR text of the dialect tosa", &probe_mlir, &read_mlir, true},
    {"ONNX", &probe_onnx, &read_onnx},
};

}  // namespace

std::span<const GraphFormat> graph_formats() { return kFormats; }

const GraphFormat* format_of(const Graph& graph) {
    for (const GraphFormat& format : kFormats) {
        if (format.name == graph.format) return &format;
    }
    return nullptr;
}

Graph read_graph(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                 const std::string& name, const ReadOptions& options) {
    for (const GraphFormat& format : graph_formats()) {
        if (!format.probe(bytes)) continue;
        if (!options.function.empty() && !format.has_functions) {
            throw ConfigError(
                "--function " + options.function,
                name + " has no functions (" + std::string(format.name) + "); drop the option");
        }
        if (options.rounding != Rounding::kDouble && !format.has_rounding) {
            throw ConfigError("--rounding single", name + " has no rounding to choose (" +
                                                       std::string(format.name) +
                                                       "); drop the option");
        }
        Graph graph = format.read({bytes, std::move(owner), name}, options);
        graph.format = format.name;
        return graph;
    }
    refuse_foreign_format(bytes, name);
    std::string known;
    for (const GraphFormat& format : graph_formats()) {
        known += (known.empty() ? "" : ", ") + std::string(format.name);
    }
    if (bytes.empty()) throw GraphFileError(name, "", std::nullopt, "the file is empty");
    throw GraphFileError(name, "", std::nullopt,
                         "the content has none of the supported formats (" + known +
                             "): the file is truncated, damaged or of another format",
                         FileProblem::kUnsupported);
}

Graph load_graph(const std::filesystem::path& path, const ReadOptions& options) {
    MappedFile file = map_file(path);
    return read_graph(file.bytes, std::move(file.owner), path.string(), options);
}

namespace {

/// Returns the shapes of the inputs in their files.
std::vector<std::pair<std::string, Shape>> file_shapes(const Graph& graph) {
    std::vector<std::pair<std::string, Shape>> shapes;
    const auto add = [&](const Tensor& tensor) {
        for (const auto& known : shapes) {
            if (tensor.name == known.first) return;
        }
        Shape shape = tensor.shape;
        if (tensor.words != FileWords::kNone) shape.pop_back();
        shapes.emplace_back(tensor.name.text(), std::move(shape));
    };
    for (const FileForm& form : graph.file_forms) {
        if (form.is_input) add(form.tensor);
    }
    for (const TensorIndex index : graph.main().inputs) add(graph.main().tensors[index]);
    return shapes;
}

}  // namespace

void check_input_shapes(const Graph& graph, const std::map<std::string, Shape>& shapes) {
    const auto inputs = file_shapes(graph);
    for (const auto& [name, shape] : shapes) {
        std::vector<std::string> known;
        const Shape* input = nullptr;
        for (const auto& [own_name, own_shape] : inputs) {
            known.push_back(own_name);
            if (own_name == name) input = &own_shape;
        }
        if (input == nullptr) throw ConfigError("--input " + name, no_such_input(name, known));
        if (*input == shape) continue;
        throw ConfigError("--input " + name, "has the shape " + shape_text(shape) +
                                                 "; the model's input has " + shape_text(*input));
    }
}

}  // namespace okksim::sim::graph
