// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/graph/onnx/onnx_array.h"

/// Tests of the ONNX project: a model, and its inputs and outputs as files of one tensor each.
namespace okksim::sim::graph::onnx {

/// An input or output of a model.
struct CaseEnd {
    std::string name;
    ElementType type = ElementType::kUndefined;  ///< kUndefined unless it is a tensor
};

struct CaseModel {
    std::vector<CaseEnd> inputs;  ///< without those that have a default value
    std::vector<CaseEnd> outputs;
    std::string op;  ///< the operator of the first node
};

/// Reads the inputs and outputs of a model. GraphFileError for a damaged file.
CaseModel read_case_model(const std::filesystem::path& file);

/// Writes the tensor of a file as a .npy file. Returns the .npy element type. It is empty, and
/// nothing is written, if such elements have no .npy form. GraphFileError for a damaged file.
std::string write_case_value(const std::filesystem::path& file, const CaseEnd& end,
                             const std::filesystem::path& npy);

}  // namespace okksim::sim::graph::onnx
