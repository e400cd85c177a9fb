// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/instructions.h"
#include "models/bdc/vector/vector_params.h"

namespace okksim::models {

/// Words of the widest vector; a constant source row holds this number of copies of its word.
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

/// Implementation of an instruction with the semantics vector(Op).
struct VectorOperation {
    VectorRow row = nullptr;
    /// Rough host nanoseconds per element: `nanoseconds`, or `nanoseconds_per_term` for each term
    /// of a series.
    double nanoseconds = 0;
    double nanoseconds_per_term = 0;
};

/// Returns the operation of a row of the instruction table for the widest vectors of the host.
/// Empty for rows with other semantics.
const VectorOperation& vector_operation(const isa::InstructionInfo& instruction);

}  // namespace okksim::models
