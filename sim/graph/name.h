// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string>
#include <string_view>

namespace okksim::sim::graph {

/// A text of a graph: a view of bytes that the graph's storage owns (the file, or a copy by
/// Graph::own_text), or of a literal. It takes eight bytes, as graphs have up to millions of names.
/// Conversions from shorter-lived strings are not implicit.
class Name {
 public:
    Name() = default;
    template <std::size_t N>
    Name(const char (&literal)[N]) : Name(std::string_view(literal)) {}
    /// The caller must keep the text alive as long as the graph.
    explicit Name(std::string_view text)
        : word_(text.size() < kLong ? pack(text.data(), text.size()) : pack_long(text)) {}

    std::string_view view() const {
        const std::size_t size = word_ >> kAddressBits;
        const auto* at =
            reinterpret_cast<const char*>(word_ & ((std::uint64_t{1} << kAddressBits) - 1));
        return size < kLong ? std::string_view(at, size) : long_text(at);
    }
    std::string text() const { return std::string(view()); }
    operator std::string_view() const { return view(); }
    operator std::string() const { return text(); }

    bool empty() const { return word_ >> kAddressBits == 0; }
    std::size_t size() const { return view().size(); }
    const char* data() const { return view().data(); }

    friend bool operator==(const Name& left, const Name& right) {
        return left.view() == right.view();
    }
    friend bool operator==(const Name& left, std::string_view right) {
        return left.view() == right;
    }
    friend bool operator==(const Name& left, const char* right) { return left.view() == right; }
    friend bool operator==(const Name& left, const std::string& right) {
        return left.view() == right;
    }
    friend std::string operator+(const std::string& left, const Name& right) {
        return left + right.text();
    }
    friend std::string operator+(const Name& left, const std::string& right) {
        return left.text() + right;
    }
    friend std::ostream& operator<<(std::ostream& out, const Name& name) {
        return out << name.view();
    }

 private:
    // User-space addresses have 47 bits; the upper bits hold the size.
    static constexpr int kAddressBits = 48;
    static constexpr std::size_t kLong = 0xFFFF;
    static_assert(sizeof(void*) == sizeof(std::uint64_t));

    static std::uint64_t pack(const void* at, std::uint64_t size) {
        return size == 0 ? 0 : size << kAddressBits | reinterpret_cast<std::uint64_t>(at);
    }
    /// Texts of 64 KiB or more use views that are kept until the program ends.
    static std::uint64_t pack_long(std::string_view text);
    static std::string_view long_text(const void* at) {
        return *static_cast<const std::string_view*>(at);
    }

    std::uint64_t word_ = 0;
};

}  // namespace okksim::sim::graph

template <>
struct std::hash<okksim::sim::graph::Name> {
    std::size_t operator()(const okksim::sim::graph::Name& name) const {
        return std::hash<std::string_view>{}(name.view());
    }
};
