// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace okksim::sim::pricing {

/// What system memory will hold when a launch begins: the constants. Everything else exists only at
/// run time. Refers to the bytes, which must outlive it.
class KnownMemory {
 public:
    void add(std::uint64_t address, std::span<const std::byte> bytes) {
        if (!bytes.empty()) ranges_[address] = bytes;
    }
    /// The bytes from `address` on, at least `count`; nothing unless all of them are known.
    std::optional<std::span<const std::byte>> find(std::uint64_t address,
                                                   std::uint64_t count) const {
        auto after = ranges_.upper_bound(address);
        if (after == ranges_.begin()) return std::nullopt;
        const auto& [start, bytes] = *--after;
        const std::uint64_t offset = address - start;
        if (offset >= bytes.size() || bytes.size() - offset < count) return std::nullopt;
        return bytes.subspan(offset);
    }
    /// One past the highest known byte; 0 when nothing is known.
    std::uint64_t end() const {
        return ranges_.empty() ? 0 : ranges_.rbegin()->first + ranges_.rbegin()->second.size();
    }

 private:
    std::map<std::uint64_t, std::span<const std::byte>> ranges_;
};

}  // namespace okksim::sim::pricing
