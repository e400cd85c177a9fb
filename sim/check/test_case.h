// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "sim/check/test_description.h"

namespace okksim::sim::check {

/// Reads `folder`/desc.json. It describes a vector ("tosa_file") or a model ("onnx_file",
/// "tflite_file"). It may also describe a program of the text forms ("program") or an operator of
/// .xmodel files ("xmodel"; the first graph). Throws ConfigError with file and key path if the file
/// is missing or not JSON, or if a required key is missing or invalid.
TestCase load_test_case(const std::filesystem::path& folder);

/// Reads all cases of a test. A test with several forms of its graph ("xmodel") has one case per
/// graph, and others have one case. A folder of the ONNX project (onnx_case_folder.h) has one case
/// per data set.
std::vector<TestCase> load_test_cases(const std::filesystem::path& folder);

/// Returns the number of cases of load_test_cases(). It is 1 for an unreadable test.
std::size_t count_test_cases(const std::filesystem::path& folder);

/// Returns the folders with a desc.json, and those of the ONNX project, in the tree `root`. They
/// are sorted by path. Unreadable folders and broken links are included, because reading them
/// reports the error.
std::vector<std::filesystem::path> find_test_cases(const std::filesystem::path& root);

/// Returns the folders in the tree `root` with a graph file and no desc.json, sorted by
/// path. They are tests without their description.
std::vector<std::filesystem::path> find_lost_tests(const std::filesystem::path& root);

/// Marks the files of all tests below a folder as read files (isa/base/output_file.h), even if no
/// test reads them. Call it before reports are opened.
void note_tests(const std::filesystem::path& root);

}  // namespace okksim::sim::check
