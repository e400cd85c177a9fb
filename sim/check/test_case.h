// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/check/comparison_rules.h"
#include "sim/check/model_origin.h"
#include "sim/graph/graph_types.h"

namespace okksim::sim::check {

/// The file that describes a test, and the files that replace the outputs of a refused graph and of
/// a crash.
inline constexpr const char* kDescription = "desc.json";
inline constexpr const char* kRejectedFile = "REJECTED";
inline constexpr const char* kCrashedFile = "CRASHED";

/// A graph input and the .npy file with its value.
struct TestInput {
    std::string name;
    std::filesystem::path file;
};

/// An output, or the state of a variable after the run, and its rule.
struct TestOutput {
    std::string name;
    std::string output_file;  ///< plain name of the file that an implementation writes
    std::optional<graph::DType>
        type;                  ///< from the compliance data; otherwise that of the reference file
    bool is_unsigned = false;  ///< HostTensor::is_unsigned
    std::optional<std::vector<std::int64_t>> shape;  ///< from the compliance data
    Rule rule;
    std::filesystem::path reference;  ///< the reference of the rule
    std::optional<std::filesystem::path> bounds;
};

/// One test folder: desc.json and the files that it names. Paths include the folder.
struct TestCase {
    std::filesystem::path folder;
    std::filesystem::path graph;
    bool expects_rejection = false;
    std::string rejection_reason;  ///< the violated condition in the test's words
    bool expects_damage = false;   ///< the test says that its file is malformed
    std::string op;                ///< operator under test, such as "CONV2D" or "E2E"; may be empty
    std::string error_if;          ///< kind of violation, such as "WrongRank"; may be empty
    /// Inputs, outputs and variables are in the graph's order, because their names in the graph
    /// differ.
    bool by_position = false;
    /// The graph may hold inputs as constants. It must have no other inputs than the test.
    bool has_constants = false;
    /// Four-dimensional feature maps are N, H, W, C in the graph and N, C, H, W in the files.
    bool is_channels_last = false;
    /// The form of the graph if a test has several. It is empty for the first one, whose outputs
    /// are in the test's own folder.
    std::string part;
    /// The graph is an .onnx or .tflite model. Any message that refuses it is a refusal.
    bool is_model = false;
    bool may_refuse = false;  ///< the graph should run, but may be refused with a message
    bool may_run = false;     ///< the graph should be refused, but may run
    ModelOrigin origin;
    std::vector<TestInput> inputs;
    std::vector<TestOutput> outputs;
    std::vector<TestOutput> variables;
    std::vector<std::string> profiles;    ///< any of them, as spelled in the file: "tosa-pro-int"
    std::vector<std::string> extensions;  ///< all of them
};

/// Reads `folder`/desc.json. It describes a vector ("tosa_file") or a model ("onnx_file",
/// "tflite_file"). It may also describe a program of the text forms ("program") or an operator of
/// .xmodel files
/// ("xmodel"; the first graph). Throws ConfigError with file and key path if the file is missing or
/// not JSON, or if a required key is missing or invalid.
TestCase load_test_case(const std::filesystem::path& folder);

/// Reads all cases of a test. A test with several forms of its graph ("xmodel") has one case per
/// graph, and others have one case.
std::vector<TestCase> load_test_cases(const std::filesystem::path& folder);

/// Returns the folders with a desc.json in the tree `root`, sorted by path. Unreadable folders and
/// broken links are included, because reading them reports the error.
std::vector<std::filesystem::path> find_test_cases(const std::filesystem::path& root);

/// Returns the folders in the tree `root` with a graph file and no desc.json, sorted by
/// path. They are tests without their description.
std::vector<std::filesystem::path> find_lost_tests(const std::filesystem::path& root);

/// Marks the files of all tests below a folder as read files (isa/base/output_file.h), even if no
/// test reads them. Call it before reports are opened.
void note_tests(const std::filesystem::path& root);

}  // namespace okksim::sim::check
