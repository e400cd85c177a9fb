// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "sim/graph/mlir/mlir_problem.h"
#include "sim/graph/mlir/mlir_value.h"

namespace okksim::sim::graph {

/// Reads the elements of dense<...> and of blobs into the encoding of constants (DType).
class DenseReader {
 public:
    DenseReader(TextReport& report, Graph& graph) : report_(report), graph_(graph) {}

    /// Where the ">" stands that ends the elements which begin at `begin`.
    std::size_t find_end(std::string_view text, std::size_t begin);

    /// The elements in text[begin, end): a list, a value for all, or a hexadecimal string. `at` is
    /// where "dense" stands. Reports what is wrong.
    ConstantData read(std::string_view text, std::size_t begin, std::size_t end,
                      const MlirType& type, std::size_t at);

    /// The elements of a blob: a quoted hexadecimal string that begins with the alignment.
    ConstantData read_resource(std::string_view quoted, std::string_view text,
                               const MlirType& type);

 private:
    void check_size(std::size_t at, const MlirType& type) const;
    ConstantData read_list(std::string_view text, std::size_t begin, std::size_t end,
                           const MlirType& type, std::size_t at);
    ConstantData read_hex(std::string_view digits, std::size_t at, const MlirType& type);
    /// One element, as the encoding of constants has it, for all of the type.
    ConstantData repeat(std::span<const std::byte> element, const MlirType& type);

    TextReport& report_;
    Graph& graph_;
};

/// Elements of one type, one after the other; those beyond `capacity` are only counted.
class ElementPacker {
 public:
    ElementPacker(TextReport& report, const MlirType& type, std::uint64_t capacity);

    /// Reads "value, value, ..." at `at` of the text, which ends at `end`: one value at least.
    /// Gives the position behind the last one.
    std::size_t add(std::string_view text, std::size_t at, std::size_t end);
    /// Reads one value.
    std::size_t add_one(std::string_view text, std::size_t at, std::size_t end);
    /// Repeats the last value so that there are `count`.
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
    // Like the dialect: any pattern of the width, negative numbers down to the least.
    std::uint64_t most_ = 0;
    std::uint64_t least_ = 0;
    std::uint64_t capacity_;
    std::vector<std::byte> bytes_;
    std::uint64_t size_ = 0;
    std::uint64_t last_ = 0;
    bool has_warned_ = false;
};

}  // namespace okksim::sim::graph
