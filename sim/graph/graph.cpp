// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/graph.h"

namespace okksim::sim::graph {

namespace {
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 58;
}

std::optional<std::uint64_t> element_count(const Shape& shape) {
    std::uint64_t count = 1;
    bool has_zero = false;
    for (const std::int64_t dimension : shape) {
        if (dimension < 0) return std::nullopt;
        has_zero = has_zero || dimension == 0;
    }
    if (has_zero) return 0;
    for (const std::int64_t dimension : shape) {
        if (static_cast<std::uint64_t>(dimension) > kMaxElements / count) return std::nullopt;
        count *= static_cast<std::uint64_t>(dimension);
    }
    return count;
}

std::string shape_text(const Shape& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(shape[i]);
    }
    return text + "]";
}

std::span<const std::byte> Graph::own_bytes(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    const std::span<const std::byte> view(*owner);
    storage.push_back(std::move(owner));
    return view;
}

}  // namespace okksim::sim::graph
