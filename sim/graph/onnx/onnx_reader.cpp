// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_reader.h"

#include "sim/graph/captures.h"
#include "sim/graph/merged_dimensions.h"
#include "sim/graph/onnx/onnx_walk.h"
#include "sim/graph/protobuf/protobuf_fields.h"
#include "sim/graph/prune.h"
#include "sim/graph/schedule.h"

namespace okksim::sim::graph {

namespace {

using onnx::Model;

constexpr std::int64_t kLastIrVersion = 11;
constexpr std::int64_t kLastOpset = 23;

[[noreturn]] void refuse(const GraphSource& source, const std::string& field,
                         const std::string& message, FileProblem problem) {
    throw GraphFileError(source.name, field, std::nullopt, message, problem);
}

void check_versions(const GraphSource& source, const Model& model) {
    if (!model.has_graph) {
        refuse(source, "graph", "the file has no graph" + std::string(kFetchOrCorrect),
               FileProblem::kDamaged);
    }
    if (model.ir_version < 1) {
        refuse(source, "ir_version", "the file has no version" + std::string(kFetchOrCorrect),
               FileProblem::kDamaged);
    }
    const auto opset = model.opsets.find("");
    if (opset != model.opsets.end() && opset->second < 1) {
        refuse(source, "opset_import",
               "the file has operator set " + std::to_string(opset->second) +
                   "; the first one is 1" + std::string(kFetchOrCorrect),
               FileProblem::kDamaged);
    }
    if (opset != model.opsets.end() && opset->second > kLastOpset) {
        refuse(source, "opset_import",
               "the file has operator set " + std::to_string(opset->second) +
                   "; the latest known "
                   "one is " +
                   std::to_string(kLastOpset) + ": export the model with an earlier one",
               FileProblem::kUnsupported);
    }
}

}  // namespace

// ONNX files have no magic number. A ModelProto has a version (field 1, a small number) and a graph
// (field 7); all its field numbers are below 26. A truncated graph still counts as an ONNX file.
bool probe_onnx(std::span<const std::byte> bytes) {
    constexpr std::uint64_t kVersionField = 1, kGraphField = 7, kLastField = 25, kMostVersion = 100;
    bool has_version = false, has_graph = false;
    ProtobufFields fields(bytes);
    try {
        while (fields.next()) {
            const std::uint32_t field = fields.number();
            if (field > kLastField) return false;
            if (field == kVersionField) {
                if (fields.kind() != ProtobufFields::Kind::kVarint) return false;
                if (fields.integer() > kMostVersion) return false;
                has_version = true;
            }
            if (field == kGraphField) {
                if (fields.kind() != ProtobufFields::Kind::kBytes) return false;
                has_graph = true;
            }
        }
    } catch (const ProtobufDamage&) {
        return has_version && (has_graph || fields.number() == kGraphField);
    }
    return has_version && has_graph;
}

Graph read_onnx(const GraphSource& source, const ReadOptions& options) {
    const Model model = onnx::read_model(source);
    check_versions(source, model);
    Graph graph;
    graph.storage.push_back(source.owner);
    graph.regions.push_back({"main", {}});
    graph.regions[0].blocks.emplace_back();
    graph.regions[0].blocks[0].name = "main";
    {
        BlockBuilder block(graph, graph.regions[0].blocks[0]);
        onnx::Walk(source, options, model, graph, block).run();
    }
    bind_captures(graph);
    merge_dimensions(graph);
    prune_graph(graph);
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
