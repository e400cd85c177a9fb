// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/graph.h"

#include <algorithm>

namespace okksim::sim::graph {

namespace {
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 58;
// Sizes in bytes of the memory blocks for small objects. They grow with the graph.
constexpr std::size_t kFirstRoom = 256;
constexpr std::size_t kLargestRoom = 64 << 10;
// Largest constant in bytes that counts as a small object.
constexpr std::size_t kMostRoomBytes = 64;
// Bytes from which a constant is computed on request. The record of a request has about 200 bytes.
constexpr std::uint64_t kLeastDeferred = 4096;
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

std::span<char> Graph::take_room(std::size_t bytes, std::size_t alignment) {
    const auto padding = [&] {
        return -reinterpret_cast<std::uintptr_t>(room_.rest.data()) % alignment;
    };
    if (bytes + padding() > room_.rest.size()) {
        room_.block_size = std::clamp(2 * room_.block_size, kFirstRoom, kLargestRoom);
        auto block = std::make_shared<std::vector<char>>(std::max(room_.block_size, bytes));
        room_.rest = *block;
        room_.used = 0;
        storage.push_back(std::move(block));
    }
    const std::size_t skipped = padding();
    const std::span<char> own = room_.rest.subspan(skipped, bytes);
    room_.rest = room_.rest.subspan(skipped + bytes);
    room_.used += skipped + bytes;
    return own;
}

std::span<const std::byte> Graph::own_bytes(std::vector<std::byte> bytes) {
    if (bytes.empty()) return {};
    if (bytes.size() <= kMostRoomBytes) {
        const std::span<char> own = take_room(bytes.size(), sizeof(std::uint64_t));
        std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(own).begin());
        return std::as_bytes(own);
    }
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    const std::span<const std::byte> view(*owner);
    storage.push_back(std::move(owner));
    return view;
}

ConstantData Graph::own_repeated(std::span<const std::byte> element, std::uint64_t bytes) {
    if (bytes <= kMostRoomBytes) {
        std::vector<std::byte> all(bytes);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = element[i % element.size()];
        return own_bytes(std::move(all));
    }
    if (room_.elements == nullptr) {
        room_.elements = std::make_shared<std::deque<RepeatedElement>>();
        storage.push_back(room_.elements);
    }
    return ConstantData(room_.elements->emplace_back(element, bytes));
}

ConstantData Graph::own_deferred(std::uint64_t bytes, DeferredBytes::Fill fill) {
    if (bytes < kLeastDeferred) {
        std::vector<std::byte> all(bytes);
        fill(all);
        return own_bytes(std::move(all));
    }
    auto owner = std::make_shared<const DeferredBytes>(bytes, std::move(fill));
    const ConstantData data(*owner);
    storage.push_back(std::move(owner));
    return data;
}

Name Graph::own_text(std::string_view text) {
    const std::span<char> own = take_room(text.size(), 1);
    std::copy(text.begin(), text.end(), own.begin());
    return Name(std::string_view(own.data(), own.size()));
}

void Graph::disown_text(Name text) {
    auto& [rest, used, block_size, elements] = room_;
    if (text.size() > used || text.data() != rest.data() - text.size()) return;
    rest = {rest.data() - text.size(), rest.size() + text.size()};
    used -= text.size();
}

std::string Block::origin(const Operator& op) const {
    if (op.line == 0) return op.location;
    std::string place = file + ":" + std::to_string(op.line);
    if (op.column != 0) place += ":" + std::to_string(op.column);
    return op.location.empty() ? place : place + " \"" + op.location + "\"";
}

}  // namespace okksim::sim::graph
