// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace okksim::sim::graph {

// Level 8K, TOSA 1.0.1 section 1.7 (table 4).
inline constexpr int kMaxRank = 6;
inline constexpr std::int64_t kMaxKernel = 8192;
inline constexpr std::int64_t kMaxStride = 8192;
inline constexpr std::int64_t kMaxScale = 256;
inline constexpr int kMaxLog2Size = 31;
inline constexpr int kMaxNesting = 6;
inline constexpr std::size_t kMaxTensorListSize = 64;

/// Range of tensor_size_t (section 1.11.1).
inline constexpr std::int64_t kMinTensorSize = -(std::int64_t{1} << kMaxLog2Size);
inline constexpr std::int64_t kMaxTensorSize = (std::int64_t{1} << kMaxLog2Size) - 1;

}  // namespace okksim::sim::graph
