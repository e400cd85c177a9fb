// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>

namespace okksim::tests {

/// Seeded random numbers that are the same with every standard library.
class RandomSource {
 public:
    explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t bits() { return engine_(); }
    /// In [0, count); count > 0.
    std::int64_t below(std::int64_t count) {
        return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(count));
    }
    /// In [low, high].
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + below(high - low + 1);
    }
    /// True once in `count` calls on average.
    bool one_in(std::int64_t count) { return below(count) == 0; }
    std::int64_t pick(std::initializer_list<std::int64_t> values) {
        return values.begin()[below(static_cast<std::int64_t>(values.size()))];
    }
    template <typename Container>
    const auto& element(const Container& values) {
        return values[static_cast<std::size_t>(
            below(static_cast<std::int64_t>(std::size(values))))];
    }

 private:
    std::mt19937_64 engine_;
};

}  // namespace okksim::tests
