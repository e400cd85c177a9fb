// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace okksim::sim::graph {

/// Index in Block::tensors.
using TensorIndex = std::uint32_t;

/// Tensors in the order of the specification's argument table. The size is fixed at construction.
/// Up to `Inside` indices are stored inline; the object has one word more than them.
template <std::size_t Inside>
class IndexList {
 public:
    IndexList() = default;
    IndexList(std::span<const TensorIndex> list) {
        TensorIndex* to = &words_[1];
        if (list.size() > Inside) {
            auto* apart = new TensorIndex[list.size() + 1];
            apart[0] = static_cast<TensorIndex>(list.size());
            std::memcpy(words_.data(), &apart, sizeof(apart));
            to = apart + 1;
        } else {
            words_[0] = inside(list.size());
        }
        std::copy(list.begin(), list.end(), to);
    }
    IndexList(const std::vector<TensorIndex>& list) : IndexList(std::span(list)) {}
    IndexList(std::initializer_list<TensorIndex> list)
        : IndexList(std::span(list.begin(), list.size())) {}
    template <std::size_t Others>
    IndexList(const IndexList<Others>& other)
        : IndexList(std::span<const TensorIndex>(other.data(), other.size())) {}
    IndexList(const IndexList& other)
        : IndexList(std::span<const TensorIndex>(other.data(), other.size())) {}
    IndexList(IndexList&& other) noexcept : words_(other.words_) { other.words_[0] = inside(0); }
    IndexList& operator=(IndexList other) noexcept {
        std::swap(words_, other.words_);
        return *this;
    }
    ~IndexList() {
        if (!is_inside()) delete[] apart();
    }

    operator std::vector<TensorIndex>() const { return {begin(), end()}; }

    std::size_t size() const { return is_inside() ? words_[0] >> 1 : apart()[0]; }
    bool empty() const { return size() == 0; }
    TensorIndex* data() { return const_cast<TensorIndex*>(std::as_const(*this).data()); }
    const TensorIndex* data() const { return is_inside() ? &words_[1] : apart() + 1; }
    TensorIndex* begin() { return data(); }
    TensorIndex* end() { return data() + size(); }
    const TensorIndex* begin() const { return data(); }
    const TensorIndex* end() const { return data() + size(); }
    TensorIndex& operator[](std::size_t n) { return data()[n]; }
    TensorIndex operator[](std::size_t n) const { return data()[n]; }
    TensorIndex back() const { return data()[size() - 1]; }

 private:
    // For an inline list, the first word is odd. Otherwise the first two words are an address,
    // which is even. On little-endian hosts, the first word is its lower half.
    static constexpr TensorIndex inside(std::size_t size) {
        return static_cast<TensorIndex>(size << 1 | 1);
    }
    bool is_inside() const { return (words_[0] & 1) != 0; }
    /// Returns the allocated array: the size, then the list.
    TensorIndex* apart() const {
        TensorIndex* list = nullptr;
        std::memcpy(&list, words_.data(), sizeof(list));
        return list;
    }

    alignas(TensorIndex*) std::array<TensorIndex, Inside + 1> words_{inside(0)};
};

/// The inputs of an operator; inline storage suffices for nearly all operators.
using TensorList = IndexList<3>;
/// The outputs of an operator.
using ResultList = IndexList<1>;

/// An optional index in four bytes.
class OptionalIndex {
 public:
    OptionalIndex() = default;
    OptionalIndex(std::uint32_t index) : index_(index) {}

    explicit operator bool() const { return index_ != kNone; }
    std::uint32_t operator*() const { return index_; }
    bool operator==(const OptionalIndex&) const = default;

 private:
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    std::uint32_t index_ = kNone;
};

}  // namespace okksim::sim::graph
