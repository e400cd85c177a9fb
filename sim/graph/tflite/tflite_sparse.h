// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sim/graph/tflite/tflite_file.h"

namespace okksim::sim::graph::tflite {

/// Decodes a constant of which only the non-zero blocks are stored.
std::vector<std::byte> dense_bytes(const File& file, const wire::SparsityParameters& sparsity,
                                   const Shape& shape, wire::TensorType type,
                                   std::span<const std::byte> data, const std::string& where);

}  // namespace okksim::sim::graph::tflite
