// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace okksim::models {

/// Commands to blame for undefined bytes, by the numbers that UndefinedWords gets.
struct UndefinedSource {
    std::uint32_t reader = 0;  ///< read uninitialised memory
    std::uint32_t writer = 0;  ///< stored a value derived from it
    bool operator==(const UndefinedSource&) const = default;
};

/// Bytes of system memory with values that derive from uninitialised memory.
class UndefinedRanges {
 public:
    struct Found {
        std::uint64_t address = 0;  ///< the first undefined byte
        std::uint64_t end = 0;      ///< end of the bytes with the same source
        UndefinedSource source;
    };

    bool empty() const { return ranges_.empty(); }
    void set(std::uint64_t begin, std::uint64_t end, const UndefinedSource& source);
    void clear(std::uint64_t begin, std::uint64_t end);
    std::optional<Found> find(std::uint64_t begin, std::uint64_t end) const;

 private:
    struct Range {
        std::uint64_t end = 0;
        UndefinedSource source;
    };
    std::map<std::uint64_t, Range> ranges_;  ///< by their begin; they do not overlap
};

}  // namespace okksim::models
