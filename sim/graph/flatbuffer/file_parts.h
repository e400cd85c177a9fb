// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/graph/graph.h"

/// Parts that the files of all TOSA versions share.
namespace okksim::sim::graph {

/// Returns a string of the file; empty if it is missing.
inline std::string_view view(const flatbuffers::String* value) {
    return value == nullptr ? std::string_view() : std::string_view(value->c_str(), value->size());
}

/// Returns the entry block: "main" of the first region, or its first block. Returns nothing if it
/// has no block.
std::optional<BlockReference> find_entry(const Graph& graph);

/// Returns the block that control flow in a block of `region` refers to by name. It is the first
/// block of the region of this name, or a block of `region`; nothing if both are missing.
std::optional<BlockReference> find_block(const Graph& graph, std::uint32_t region,
                                         std::string_view name);

}  // namespace okksim::sim::graph
