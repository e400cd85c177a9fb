// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "sim/graph/host_tensor.h"

namespace okksim::tests {

inline std::vector<std::byte> fp32_bytes(const std::vector<float>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

inline sim::graph::HostTensor fp32_tensor(sim::graph::Shape shape,
                                          const std::vector<float>& values) {
    return sim::graph::make_host_tensor(tosa::DType::kFp32, std::move(shape), fp32_bytes(values));
}

inline std::vector<float> fp32_values(const sim::graph::HostTensor& tensor) {
    std::vector<float> values(tensor.data.size() / sizeof(float));
    std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
}

}  // namespace okksim::tests
