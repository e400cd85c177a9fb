// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "sim/graph/constant_data.h"

namespace okksim::sim::pricing {

/// The known contents of system memory when a launch begins: the constants. All other values exist
/// only at run time. Refers to the constants' bytes, which must outlive the object.
class KnownMemory {
 public:
    void add(std::uint64_t address, const graph::ConstantData& bytes) {
        if (!bytes.empty()) ranges_[address] = bytes;
    }
    void add(std::uint64_t address, std::span<const std::byte> bytes) {
        add(address, graph::ConstantData(bytes));
    }
    /// A constant with at least `count` bytes from an address on, or nullptr, and the address's
    /// offset in it.
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
    /// Returns the bytes from `address` on, at least `count`, or no value if some of them are
    /// unknown.
    std::optional<std::span<const std::byte>> find(std::uint64_t address,
                                                   std::uint64_t count) const {
        const Place found = place(address, count);
        if (found.constant == nullptr) return std::nullopt;
        return found.constant->bytes().subspan(found.offset);
    }
    /// Returns the address after the highest known byte, or 0 if nothing is known.
    std::uint64_t end() const {
        return ranges_.empty() ? 0 : ranges_.rbegin()->first + ranges_.rbegin()->second.size();
    }

 private:
    std::map<std::uint64_t, graph::ConstantData> ranges_;
};

}  // namespace okksim::sim::pricing
