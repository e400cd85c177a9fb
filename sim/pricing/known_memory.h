// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "sim/graph/constant_data.h"

namespace okksim::sim::pricing {

/// What system memory will hold when a launch begins: the constants. Everything else exists only at
/// run time. Refers to the bytes, which must outlive it.
class KnownMemory {
 public:
    void add(std::uint64_t address, const graph::ConstantData& bytes) {
        if (!bytes.empty()) ranges_[address] = bytes;
    }
    void add(std::uint64_t address, std::span<const std::byte> bytes) {
        add(address, graph::ConstantData(bytes));
    }
    /// The constant that has at least `count` bytes from `address` on, or nullptr, and where in it.
    struct Place {
        const graph::ConstantData* constant = nullptr;
        std::uint64_t offset = 0;
    };
    Place place(std::uint64_t address, std::uint64_t count) const {
        auto after = ranges_.upper_bound(address);
        if (after == ranges_.begin()) return {};
        const auto& [start, bytes] = *--after;
        const std::uint64_t offset = address - start;
        if (offset >= bytes.size() || bytes.size() - offset < count) return {};
        return {&bytes, offset};
    }
    /// The bytes from `address` on, at least `count`; nothing unless all of them are known.
    std::optional<std::span<const std::byte>> find(std::uint64_t address,
                                                   std::uint64_t count) const {
        const Place found = place(address, count);
        if (found.constant == nullptr) return std::nullopt;
        return found.constant->bytes().subspan(found.offset);
    }
    /// One past the highest known byte; 0 when nothing is known.
    std::uint64_t end() const {
        return ranges_.empty() ? 0 : ranges_.rbegin()->first + ranges_.rbegin()->second.size();
    }

 private:
    std::map<std::uint64_t, graph::ConstantData> ranges_;
};

}  // namespace okksim::sim::pricing
