// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
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
    /// The test is of another project, and says nothing about what okksim supports. A refusal of
    /// unsupported parts is neither a success nor a failure.
    bool lists_refusals = false;
    std::shared_ptr<const void> values;  ///< keeps .npy files that were made for the test
    ModelOrigin origin;
    std::vector<TestInput> inputs;
    std::vector<TestOutput> outputs;
    std::vector<TestOutput> variables;
    std::vector<std::string> profiles;    ///< any of them, as spelled in the file: "tosa-pro-int"
    std::vector<std::string> extensions;  ///< all of them
};

}  // namespace okksim::sim::check
