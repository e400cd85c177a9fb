// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace okksim::sim::check {

/// The origin of a model file that is not in the test's folder.
struct ModelOrigin {
    std::string package;  ///< "npm:PACKAGE@VERSION:FILE"; empty if the folder should have the file
    std::string sha256;   ///< of the file, in hexadecimal; empty if unknown
};

/// Returns `file` if it exists or has no package. Otherwise the file of the package in the folder
/// OKKSIM_MODELS_DIR, if it is there.
std::filesystem::path model_file(const std::filesystem::path& file, const ModelOrigin& origin);
/// True if the file exists, or if the test's folder should have it.
bool has_model_file(const std::filesystem::path& file, const ModelOrigin& origin);
/// Throws ConfigError if the file has another checksum than the test says.
void check_model_file(const std::filesystem::path& file, const ModelOrigin& origin);

}  // namespace okksim::sim::check
