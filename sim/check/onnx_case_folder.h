// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "sim/check/test_description.h"

/// Folders of the ONNX project's tests: a model, and one or more folders test_data_set_N with
/// input_K.pb and output_K.pb.
namespace okksim::sim::check {

/// Returns the data sets of such a folder, sorted; empty for other folders, such as
/// those with a desc.json.
std::vector<std::filesystem::path> onnx_data_sets(const std::filesystem::path& folder);

/// Reads one test per data set. The tensors become .npy files of a temporary folder, which exists
/// as long as a test that uses it. The rules are those of the ONNX project: relative 1e-3, absolute
/// 1e-7, and equal integers.
std::vector<TestCase> load_onnx_cases(const std::filesystem::path& folder);

}  // namespace okksim::sim::check
