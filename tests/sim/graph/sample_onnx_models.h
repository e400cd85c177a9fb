// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace okksim::tests {

/// Returns ONNX files with most parts of the format: typed and sparse weights, open dimensions,
/// inner graphs, functions, quantised operators.
std::vector<std::vector<std::uint8_t>> sample_onnx_models();

}  // namespace okksim::tests
