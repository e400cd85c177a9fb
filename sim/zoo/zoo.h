// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::zoo {

enum class Precision { kFp32, kFp16, kInt8 };
/// File formats of a network: TOSA 1.0 FlatBuffers, MLIR text, operators of OpLib.
enum class Form { kTosa, kMlir, kXmodel };

/// Options of a network. The same seed gives the same network in every precision: int8 weights are
/// the quantised fp32 weights.
struct ZooOptions {
    Precision precision = Precision::kFp32;
    int batch = 1;
    std::uint64_t seed = 1;
    int size = 0;        ///< image edge or sequence length; 0: the network's own
    double width = 1.0;  ///< channels as a share of the original, rounded to multiples of 8
};

/// A graph with its inputs and the tolerances of its outputs.
struct ZooModel {
    struct Input {
        std::string name;
        graph::HostTensor value;
    };
    graph::Graph graph;
    std::vector<Input> inputs;
    /// Largest error of floating-point outputs against double precision: relative to the element,
    /// plus absolute (README.md).
    double relative_tolerance = 0.0;
    double absolute_tolerance = 0.0;
};

/// A network of the zoo.
struct ZooEntry {
    const char* name;
    const char* description;
    ZooModel (*build)(const ZooOptions& options);
};

/// Returns all networks by name.
std::span<const ZooEntry> zoo_entries();
/// Builds a network. ConfigError for an unknown name, with the list of names, and for options out
/// of range.
ZooModel build_network(const std::string& name, const ZooOptions& options);

/// Writes a test folder for `okksim conformance`: model.tosa (.mlir, .xmodel), a .npy file per
/// input and a desc.json. desc.json names the golden outputs expected-<output>.npy, and
/// precise-<output>.npy for floating-point networks. ConfigError if the network does not support
/// the form.
void write_test_folder(const std::string& name, const ZooModel& model,
                       const std::filesystem::path& folder, Form form = Form::kTosa);

}  // namespace okksim::sim::zoo
