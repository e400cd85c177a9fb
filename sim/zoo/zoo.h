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
/// What a network is written as: TOSA 1.0 FlatBuffers, MLIR text, operators of OpLib.
enum class Form { kTosa, kMlir, kXmodel };

/// What to build. The same seed gives the same network in every precision: int8 weights are the
/// quantised fp32 weights.
struct ZooOptions {
    Precision precision = Precision::kFp32;
    int batch = 1;
    std::uint64_t seed = 1;
    int size = 0;        ///< image edge or sequence length; 0: the network's own
    double width = 1.0;  ///< channels as a share of the network's own, rounded to multiples of 8
};

/// A graph with inputs and what is expected of its outputs.
struct ZooModel {
    struct Input {
        std::string name;
        graph::HostTensor value;
    };
    graph::Graph graph;
    std::vector<Input> inputs;
    /// Largest error, against double precision, of the outputs of floating-point networks; see
    /// README.md. Relative to the element, plus absolute.
    double relative_tolerance = 0.0;
    double absolute_tolerance = 0.0;
};

/// A network of the zoo.
struct ZooEntry {
    const char* name;
    const char* description;
    ZooModel (*build)(const ZooOptions& options);
};

/// All networks, by name.
std::span<const ZooEntry> zoo_entries();
/// Builds a network. ConfigError, which lists the names, for an unknown one, and for options out of
/// range.
ZooModel build_network(const std::string& name, const ZooOptions& options);

/// Writes model.tosa (.mlir, .xmodel), a .npy file per input and a desc.json, which names the
/// golden outputs expected-<output>.npy and, of floating-point networks, precise-<output>.npy: with
/// these the folder is a test for `okksim conformance`. ConfigError for a network that has no such
/// form.
void write_test_folder(const std::string& name, const ZooModel& model,
                       const std::filesystem::path& folder, Form form = Form::kTosa);

}  // namespace okksim::sim::zoo
