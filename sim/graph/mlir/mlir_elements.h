// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/graph/mlir/mlir_problem.h"
#include "sim/graph/mlir/mlir_value.h"

namespace okksim::sim::graph {

/// Packs elements of one type; those beyond `capacity` are only counted.
class ElementPacker {
 public:
    ElementPacker(TextReport& report, const MlirType& type, std::uint64_t capacity);

    /// Reads "value, value, ..." from position `at`; the elements end at `end`. There is at least
    /// one. Returns the position after the last value.
    std::size_t add(std::string_view text, std::size_t at, std::size_t end);
    /// Reads one value.
    std::size_t add_one(std::string_view text, std::size_t at, std::size_t end);
    /// Repeats the last value until there are `count`.
    void fill(std::uint64_t count);
    std::uint64_t size() const { return size_; }
    std::vector<std::byte> take() { return std::move(bytes_); }

 private:
    template <std::size_t width>
    std::size_t add_plain_integers(std::string_view text, std::size_t at, std::size_t end);
    std::size_t add_plain_reals(std::string_view text, std::size_t at, std::size_t end);
    std::size_t add_plain(std::string_view text, std::size_t at, std::size_t end);
    bool is_within(bool is_negative, std::uint64_t magnitude) const;
    std::size_t add_integer(std::string_view text, std::size_t at, std::size_t end);
    std::size_t add_real(std::string_view text, std::size_t at, std::size_t end);
    void put(std::uint64_t bits);

    TextReport& report_;
    DType type_;
    std::size_t bytes_each_;
    // The dialect permits any bit pattern of the width, and negative numbers in range.
    std::uint64_t most_ = 0;
    std::uint64_t least_ = 0;
    std::uint64_t capacity_;
    std::vector<std::byte> bytes_;
    std::uint64_t size_ = 0;
    std::uint64_t last_ = 0;
    bool has_warned_ = false;
};

}  // namespace okksim::sim::graph
