// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sim/zoo/zoo_model.h"

namespace okksim::sim::zoo {

/// What a network is written as: TOSA 1.0 FlatBuffers, MLIR text, operators of OpLib.
enum class Form { kTosa, kMlir, kXmodel };

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
