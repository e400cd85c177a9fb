// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

namespace okksim::models {

/// Zeroed pages that cost the host nothing until they are touched.
class SparseBits {
 public:
    static constexpr std::int64_t kWordBits = 64;

    explicit SparseBits(std::uint64_t words);
    ~SparseBits();
    SparseBits(SparseBits&& other) noexcept
        : count_(other.count_), words_(std::exchange(other.words_, nullptr)) {}
    SparseBits(const SparseBits&) = delete;
    SparseBits& operator=(const SparseBits&) = delete;
    std::uint64_t* words() const { return words_; }

    /// A word whose `count` lowest bits are set.
    static std::uint64_t below(std::int64_t count) {
        return count >= kWordBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    }

 private:
    std::uint64_t count_;
    std::uint64_t* words_;
};

}  // namespace okksim::models
