// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/graph/graph.h"

/// What files of all versions of TOSA have in common.
namespace okksim::sim::graph {

/// A string of the file; empty where there is none.
inline std::string_view view(const flatbuffers::String* value) {
    return value == nullptr ? std::string_view() : std::string_view(value->c_str(), value->size());
}

/// The block of the first region that a run begins with: "main", or the first one; nothing when
/// there is no block.
std::optional<BlockReference> find_entry(const Graph& graph);

/// What control flow in a block of `region` means by a name: the first block of the region that is
/// called so, or a block of its own region; nothing when there is neither.
std::optional<BlockReference> find_block(const Graph& graph, std::uint32_t region,
                                         std::string_view name);

}  // namespace okksim::sim::graph
