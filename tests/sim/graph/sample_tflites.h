// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace okksim::tests {

/// Files with operators of several kinds and types.
std::vector<std::vector<std::uint8_t>> sample_tflites();

}  // namespace okksim::tests
