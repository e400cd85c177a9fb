// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/check/test_case.h"
#include "sim/check/test_json.h"

/// Tests of .onnx and .tflite models.
namespace okksim::sim::check {

/// True if desc.json names a model: "onnx_file" or "tflite_file".
bool describes_model(const Node& root);
/// Reads the model's file and what the test permits. The inputs must have been read.
void read_model(const Node& root, TestCase& test);
/// Returns the rule for output `index` from the list "compare".
Rule read_model_rule(const Node& root, std::size_t index);

/// True if the test's graph file exists, or if it should be in the test's folder.
bool has_model_file(const TestCase& test);
/// Throws ConfigError if the model file has another checksum than the test says.
void check_model_file(const TestCase& test);

}  // namespace okksim::sim::check
