// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/flatbuffer/file_parts.h"

namespace okksim::sim::graph {

std::optional<BlockReference> find_entry(const Graph& graph) {
    const auto& blocks = graph.regions.front().blocks;
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].name == "main") return BlockReference{0, i};
    }
    if (blocks.empty()) return std::nullopt;
    return BlockReference{0, 0};
}

std::optional<BlockReference> find_block(const Graph& graph, std::uint32_t region,
                                         std::string_view name) {
    for (std::uint32_t r = 0; r < graph.regions.size(); ++r) {
        const Region& other = graph.regions[r];
        if (other.name == name && !other.blocks.empty()) return BlockReference{r, 0};
    }
    const auto& blocks = graph.regions[region].blocks;
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        if (blocks[b].name == name) return BlockReference{region, b};
    }
    return std::nullopt;
}

}  // namespace okksim::sim::graph
