// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace okksim::sim::graph {

/// A text of a graph: like Tensor::data it points to what the graph's storage owns (the file, or a
/// copy made by Graph::own_text) or to a literal, so that a million names take no memory of their
/// own. Nothing that ends earlier turns into one by accident.
class Name : public std::string_view {
 public:
    Name() = default;
    template <std::size_t N>
    Name(const char (&literal)[N]) : std::string_view(literal) {}
    /// The caller sees to it that the text lives as long as the graph.
    explicit Name(std::string_view text) : std::string_view(text) {}

    std::string text() const { return std::string(*this); }
    operator std::string() const { return text(); }

    friend std::string operator+(const std::string& left, const Name& right) {
        return left + right.text();
    }
    friend std::string operator+(const Name& left, const std::string& right) {
        return left.text() + right;
    }
};

}  // namespace okksim::sim::graph
