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
    std::string text;  ///< CheckResult::text, or what is missing
};

/// Verdicts of a whole tree.
struct TreeVerdict {
    std::vector<FileVerdict> files;  ///< sorted by path
    std::size_t failures() const;
};

/// Name of the file that stands for outputs when a graph was refused.

/// Element type of a tensor that is stored in a .npy file of this element type. Raw and one-byte
/// types map as HostTensor documents ("<V2" bf16, "<V1" fp8e4m3, "|u1" fp8e5m2, "|i1" i8, "<i8"
/// i48). ConfigError for types that no tensor has.
graph::DType type_of_array(const graph::NpyArray& array, const std::string& name);

/// Judges one output of a test case. `got` has the output's type.
CheckResult check_output(const TestOutput& output, const graph::HostTensor& got);
/// The same for a .npy file; the type is the test's, or that of the file if the test has none.
CheckResult check_output_file(const TestOutput& output, const std::filesystem::path& file);

/// Compares the tree `out` with the tree `expected`. Folders of `expected` that hold a desc.json
/// are test folders: their outputs, by the names that desc.json gives, are judged by the test's
/// rules, and a test that expects a rejection wants a file REJECTED. Every other .npy file of
/// `expected` must be in `out` under the same relative path and be equal: integers exactly,
/// floating point by `plain_rule`. A .npy file of `out` that is neither expected nor there in
/// `expected` fails, too. ConfigError when a folder is missing.
TreeVerdict check_trees(const std::filesystem::path& out, const std::filesystem::path& expected,
                        const Rule& plain_rule = ExactRule{});

/// One .npy file beside another, by the rule of check_trees for files without a test.
FileVerdict check_files(const std::filesystem::path& out, const std::filesystem::path& expected,
                        const Rule& plain_rule = ExactRule{});

}  // namespace okksim::sim::check
