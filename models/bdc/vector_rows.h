// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/bdc/vector_kernels.h"

namespace okksim::models {

/// Words of the widest vector; a constant source row holds so many copies of its word.
inline constexpr std::size_t kMaxVectorWords = 16;

/// A source row as the inner loops see it: word i is at data[i * step], step 0 or 1. With step 0
/// `data` holds kMaxVectorWords copies of the same word.
struct SourceRow {
    const std::uint32_t* data = nullptr;
    std::size_t step = 1;
};

/// Computes `count` elements of a row; the destination may be one of the sources. Denormals must be
/// flushed by the calling thread's mode.
using VectorRow = void (*)(const VectorParams& params, std::uint32_t* destination,
                           const std::array<SourceRow, 3>& sources, std::size_t count);

/// The row of a kernel for the widest vectors that the host has.
VectorRow vector_row(VectorKernel kernel);

/// Number of source tensors.
std::size_t source_count(VectorKernel kernel);

}  // namespace okksim::models
