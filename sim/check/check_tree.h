// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/check/compare.h"
#include "sim/check/test_case.h"
#include "sim/graph/host_tensor.h"

namespace okksim::sim::check {

/// Verdict on one file of a tree, or on one expectation of a test folder.
struct FileVerdict {
    std::string path;  ///< relative to the tree
    bool passed = false;
    std::string text;  ///< CheckResult::text, or the name of a missing file
};

/// Verdicts of a whole tree.
struct TreeVerdict {
    std::vector<FileVerdict> files;  ///< sorted by path
    std::size_t failures() const;
};

/// Returns the element type of a tensor that a .npy file with this element type stores. Raw and
/// one-byte types map as HostTensor documents ("<V2" bf16, "<V1" fp8e4m3, "|u1" fp8e5m2, "|i1" i8,
/// "<i8" i48). Throws ConfigError for types that no tensor has.
graph::DType type_of_array(const graph::NpyArray& array, const std::string& name);

/// Judges one output of a test case. `got` has the output's type.
CheckResult check_output(const TestOutput& output, const graph::HostTensor& got);
/// Judges a .npy file. The type is the test's, or that of the file if the test has none.
CheckResult check_output_file(const TestOutput& output, const std::filesystem::path& file);

/// Compares the tree `out` with the tree `expected`. Folders of `expected` with a desc.json are
/// test folders. Their rules judge the outputs that desc.json names. A test that expects a
/// rejection needs a file REJECTED. Every other .npy file of `expected` must be in `out` at the
/// same relative path with equal contents. Integers are compared exactly, and floating point by
/// `plain_rule`. A .npy file of `out` fails if `expected` neither describes nor contains it. Throws
/// ConfigError if a folder is missing.
TreeVerdict check_trees(const std::filesystem::path& out, const std::filesystem::path& expected,
                        const Rule& plain_rule = ExactRule{});

/// Compares one .npy file with another, by the rule of check_trees() for files without a test.
FileVerdict check_files(const std::filesystem::path& out, const std::filesystem::path& expected,
                        const Rule& plain_rule = ExactRule{});

}  // namespace okksim::sim::check
