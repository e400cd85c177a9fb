// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/check/comparison_rules.h"
#include "sim/check/model_origin.h"
#include "sim/check/test_json.h"

/// Tests of .onnx and .tflite models.
namespace okksim::sim::check {

/// The members of TestCase that only tests of models have.
struct ModelFacts {
    std::filesystem::path graph;
    ModelOrigin origin;
    std::string op;  ///< the only operator, or the group
    bool by_position = false;
    bool may_refuse = false;
    bool may_run = false;
};

/// True if desc.json names a model: "onnx_file" or "tflite_file".
bool describes_model(const Node& root);
/// Reads the model's file and what the test permits.
ModelFacts read_model(const Node& root, const std::filesystem::path& folder);
/// Returns the rule for output `index` from the list "compare".
Rule read_model_rule(const Node& root, std::size_t index);

}  // namespace okksim::sim::check
