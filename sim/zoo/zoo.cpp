// SPDX-License-Identifier: Apache-2.0
#include "sim/zoo/zoo.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "sim/graph/folder.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "sim/graph/validate/validate.h"
#include "sim/zoo/networks.h"
#include "sim/zoo/onnx_networks.h"
#include "sim/zoo/xmodel_networks.h"

namespace okksim::sim::zoo {

namespace {

constexpr ZooEntry kEntries[] = {
    {"bert", "4 encoder layers, 256 hidden, 4 heads, 128 tokens, vocabulary 30522", build_bert},
    {"lstm", "2 layers of 256, 32 steps of 128 values, in a WHILE_LOOP", build_lstm},
    {"mobilenet_v1", "MobileNetV1 1.0, 224x224", build_mobilenet_v1},
    {"mobilenet_v2", "MobileNetV2 1.0, 224x224", build_mobilenet_v2},
    {"resnet18", "ResNet-18, 224x224", build_resnet18},
    {"resnet50", "ResNet-50 v1.5, 224x224", build_resnet50},
    {"vgg16", "VGG16, 224x224", build_vgg16},
    {"yolov5s", "detector with the layers of YOLOv5s 6.1, 640x640, three outputs", build_yolov5s},
};

void check_options(const ZooOptions& options) {
    if (options.batch < 1 || options.batch > 1024) {
        throw ConfigError("batch", fmt::format("{} is not in 1 .. 1024", options.batch));
    }
    if (options.size < 0 || options.size > 4096) {
        throw ConfigError("size", fmt::format("{} is not in 0 .. 4096", options.size));
    }
    if (!(options.width > 0.0 && options.width <= 4.0)) {
        throw ConfigError("width", fmt::format("{} is not in (0, 4]", options.width));
    }
}

/// Returns the sections of desc.json that depend on the features that the graph requires.
nlohmann::json requirements(const graph::Graph& graph) {
    const graph::FeatureSet features = graph::required_features(graph);
    nlohmann::json profiles = nlohmann::json::array();
    nlohmann::json extensions = nlohmann::json::array();
    for (int i = 0; i < graph::kFeatureCount; ++i) {
        const auto feature = static_cast<graph::Feature>(i);
        if ((features & graph::feature_bit(feature)) == 0) continue;
        std::string name(graph::feature_name(feature));
        for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        (name.starts_with("pro-") ? profiles : extensions).push_back("tosa-" + name);
    }
    return {{"profiles_supported", profiles}, {"extensions_required", extensions}};
}

}  // namespace

std::span<const ZooEntry> zoo_entries() { return kEntries; }

ZooModel build_network(const std::string& name, const ZooOptions& options) {
    check_options(options);
    std::string list;
    std::vector<std::string> names;
    for (const ZooEntry& entry : kEntries) {
        if (name == entry.name) return entry.build(options);
        names.emplace_back(entry.name);
        list += " " + names.back();
    }
    throw ConfigError(
        name, "is no network of the zoo; the networks are" + list + did_you_mean(name, names));
}

Feature image_input(NetworkBuilder& b, std::int64_t edge) {
    if (b.options().size > 0) edge = b.options().size;
    return b.input("image", {b.options().batch, edge, edge, 3});
}

Feature classifier(NetworkBuilder& b, const Feature& x) {
    const Feature y = b.conv(x, {.channels = 1000, .per_channel = false});
    return b.reshape(y, {y.shape[0], y.shape[3]});
}

namespace {

/// Writes the model and returns the file's name.
std::string write_model(const graph::Graph& graph, const std::filesystem::path& folder, Form form) {
    switch (form) {
        case Form::kTosa: graph::save_graph(graph, folder / "model.tosa"); return "model.tosa";
        case Form::kMlir: graph::save_mlir(graph, folder / "model.mlir"); return "model.mlir";
        case Form::kOnnx:
            write_file((folder / "model.onnx").string(), write_onnx(graph));
            return "model.onnx";
        case Form::kXmodel: break;
    }
    const std::vector<std::uint8_t> bytes = write_xmodel(graph);
    write_file((folder / "model.xmodel").string(),
               {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return "model.xmodel";
}

}  // namespace

void write_test_folder(const std::string& name, const ZooModel& model,
                       const std::filesystem::path& folder, Form form) {
    graph::validate_graph(model.graph);
    graph::make_folder(folder);
    const std::string file = write_model(model.graph, folder, form);
    // Objects and arrays are created explicitly. The JSON library before 3.11.3 corrupts a null
    // that becomes a container by insertion if memory runs out at that moment.
    nlohmann::ordered_json desc = nlohmann::ordered_json::object();
    desc["expected_failure"] = false;
    desc["note"] = name;
    desc["tosa_file"] = file;
    for (const char* list : {"ifm_name", "ifm_file"}) desc[list] = nlohmann::ordered_json::array();
    for (const ZooModel::Input& input : model.inputs) {
        graph::save_tensor(folder / (input.name + ".npy"), input.value);
        desc["ifm_name"].push_back(input.name);
        desc["ifm_file"].push_back(input.name + ".npy");
    }
    desc["oracle"] = {{"op", "E2E"}};
    for (const char* list : {"ofm_name", "ofm_file"}) desc[list] = nlohmann::ordered_json::array();
    const graph::Block& main = model.graph.main();
    for (const graph::TensorIndex output : main.outputs) {
        const std::string& tensor = main.tensors[output].name;
        desc["ofm_name"].push_back(tensor);
        desc["ofm_file"].push_back(tensor + ".npy");
    }
    if (model.absolute_tolerance > 0.0) {
        desc["tolerance"] = {{"atol", model.absolute_tolerance},
                             {"rtol", model.relative_tolerance}};
    }
    desc["test_requirements"] = requirements(model.graph);
    write_file((folder / "desc.json").string(), desc.dump(2) + "\n");
}

}  // namespace okksim::sim::zoo
