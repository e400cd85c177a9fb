// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sim/zoo/zoo_model.h"

namespace okksim::sim::zoo {

/// File formats of a network: TOSA 1.0 FlatBuffers, MLIR text, operators of OpLib, ONNX.
enum class Form { kTosa, kMlir, kXmodel, kOnnx };

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

/// Writes a test folder for `okksim conformance`: model.tosa (.mlir, .xmodel, .onnx), a .npy file
/// per input and a desc.json. desc.json names the golden outputs expected-<output>.npy, and
/// precise-<output>.npy for floating-point networks. ConfigError if the network does not support
/// the form.
void write_test_folder(const std::string& name, const ZooModel& model,
                       const std::filesystem::path& folder, Form form = Form::kTosa);

}  // namespace okksim::sim::zoo
