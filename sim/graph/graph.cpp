// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/graph.h"

#include <algorithm>

namespace okksim::sim::graph {

namespace {
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 58;
// Sizes of the blocks that texts are copied to: small for small graphs.
constexpr std::size_t kFirstTextBlock = 256;
constexpr std::size_t kLargestTextBlock = 64 << 10;
}  // namespace

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

Name Graph::own_text(std::string_view text) {
    if (text.size() > text_room_.rest.size()) {
        std::size_t& size = text_room_.block_size;
        size = std::clamp(2 * size, kFirstTextBlock, kLargestTextBlock);
        auto block = std::make_shared<std::vector<char>>(std::max(size, text.size()));
        text_room_.rest = *block;
        text_room_.used = 0;
        storage.push_back(std::move(block));
    }
    const std::span<char> own = text_room_.rest.first(text.size());
    text_room_.rest = text_room_.rest.subspan(text.size());
    text_room_.used += text.size();
    std::copy(text.begin(), text.end(), own.begin());
    return Name(std::string_view(own.data(), own.size()));
}

void Graph::disown_text(Name text) {
    auto& [rest, used, block_size] = text_room_;
    if (text.size() > used || text.data() != rest.data() - text.size()) return;
    rest = {rest.data() - text.size(), rest.size() + text.size()};
    used -= text.size();
}

std::string Block::origin(const Operator& op) const {
    if (op.line == 0) return op.location;
    const std::string place =
        file + ":" + std::to_string(op.line) + ":" + std::to_string(op.column);
    return op.location.empty() ? place : place + " \"" + op.location + "\"";
}

}  // namespace okksim::sim::graph
