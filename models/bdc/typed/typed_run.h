// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/types.h"
#include "models/bdc/typed/integer_rows.h"
#include "models/common/lane_pool.h"
#include "models/memory/lane_walk.h"

namespace okksim::models {

/// A tensor of an element-wise command on elements of any type.
struct TypedTensor {
    WalkTensor walk;
    isa::ElementType type{};
};
inline constexpr std::size_t kMostTypedSources = 3;

/// A lookup table that all elements of a lane share.
struct TypedTable {
    WalkTensor walk;
    std::int64_t bytes = 0;
};

/// An element-wise command: destination first, then the sources.
struct TypedCommand {
    std::array<TypedTensor, 1 + kMostTypedSources> tensors{};
    std::size_t count = 0;
    /// Lookup table with one copy at the same offset of every lane.
    const TypedTable* table = nullptr;
    isa::Dim4 shape;
    bool saturates = false;
};

/// Elements that are computed together.
inline constexpr std::int64_t kTypedChunk = 64;

/// Computes up to kTypedChunk results from the sources' values and the lane's table.
using TypedStep = void (*)(const void* operation, const std::byte* table,
                           const std::array<std::int64_t, kTypedChunk>* sources,
                           std::int64_t* results, std::int64_t count);

/// Executes a command on elements of any type as if it read all sources before it writes.
void run_typed(const TypedCommand& command, const void* operation, TypedStep step,
               std::int32_t lanes, LanePool& pool);

}  // namespace okksim::models
