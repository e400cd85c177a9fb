// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace okksim::models {

/// Who is to blame for undefined bytes: numbers of commands, as UndefinedWords is given them.
struct UndefinedSource {
    std::uint32_t reader = 0;  ///< read what nobody had written
    std::uint32_t writer = 0;  ///< stored what came of it
    bool operator==(const UndefinedSource&) const = default;
};

/// Bytes of system memory that hold what came of values that nobody has written.
class UndefinedRanges {
 public:
    struct Found {
        std::uint64_t address = 0;  ///< the first undefined byte
        std::uint64_t end = 0;      ///< behind those that come of the same source
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
