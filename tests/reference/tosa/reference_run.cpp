// SPDX-License-Identifier: Apache-2.0
// okksim_reference_run DIR [--layers]: computes the golden outputs of a test folder with the
// reference executor and stores them as expected-NAME.npy. A test with a tolerance also gets
// double-precision values as precise-NAME.npy. The folder's desc.json lists both. --layers stores
// no file and prints how the elements of every float and int8 value are distributed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"
#include "tests/reference/tosa/distribution.h"
#include "tests/reference/tosa/tosa_reference.h"

namespace {

namespace fs = std::filesystem;
using namespace okksim;
using nlohmann::json;
using reference::Value;

std::vector<sim::graph::HostTensor> load_inputs(const fs::path& folder, const json& desc,
                                                const sim::graph::Block& main) {
    std::vector<sim::graph::HostTensor> inputs;
    for (const auto index : main.inputs) {
        const sim::graph::Tensor& tensor = main.tensors[index];
        std::size_t i = 0;
        while (desc["ifm_name"].at(i) != tensor.name.text()) ++i;
        inputs.push_back(sim::graph::load_tensor(folder / desc["ifm_file"][i].get<std::string>(),
                                                 tensor.type, tensor.shape));
    }
    return inputs;
}

void store(const fs::path& folder, const std::string& name, const Value& value, json& desc) {
    json& oracle = desc["oracle"];
    const std::string expected = "expected-" + name + ".npy";
    sim::graph::save_tensor(folder / expected, reference::to_host(value));
    oracle["expected_file"].push_back(expected);
    if (!desc.contains("tolerance")) return;
    const std::string precise = "precise-" + name + ".npy";
    const sim::graph::NpyArray array = reference::to_array(value);
    sim::graph::write_npy(folder / precise, array.descr, array.shape, array.data);
    oracle["precise_file"].push_back(precise);
}

void print_layers(sim::graph::Graph& graph, const std::vector<sim::graph::HostTensor>& inputs) {
    const auto names = reference::expose_layers(graph);
    const auto result = reference::run_reference(graph, inputs, {.bounds = false});
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto d = reference::distribution_of(result.outputs[i]);
        fmt::print(
            "{:<24} {:<16} mean {:9.3f} deviation {:8.3f} range {:9.3f} {:9.3f} at limits "
            "{:5.1f}% {:5.1f}%\n",
            names[i], sim::graph::shape_text(result.outputs[i].shape), d.mean, d.deviation, d.least,
            d.greatest, 100.0 * d.at_low, 100.0 * d.at_high);
    }
}

void run(const fs::path& folder, bool layers) {
    std::ifstream stream(folder / "desc.json");
    json desc = json::parse(stream);
    sim::graph::Graph graph = sim::graph::load_graph(folder / desc["tosa_file"].get<std::string>());
    sim::graph::validate_graph(graph);
    const auto inputs = load_inputs(folder, desc, graph.main());
    if (layers) return print_layers(graph, inputs);
    const auto result = reference::run_reference(graph, inputs, {.bounds = false});
    desc["oracle"].erase("expected_file");
    desc["oracle"].erase("precise_file");
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
        store(folder, desc["ofm_name"].at(i).get<std::string>(), result.outputs[i], desc);
    }
    okksim::write_file((folder / "desc.json").string(), desc.dump(2) + "\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fmt::print(stderr, "usage: okksim_reference_run DIR [--layers]\n");
        return 2;
    }
    try {
        run(argv[1], argc > 2 && std::string(argv[2]) == "--layers");
    } catch (const std::exception& error) {
        fmt::print(stderr, "okksim_reference_run: {}\n", error.what());
        return 1;
    }
    return 0;
}
