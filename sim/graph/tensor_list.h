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

/// Position in Block::tensors.
using TensorIndex = std::uint32_t;

/// The tensors that an operator takes or gives, in the order of the specification's argument table.
/// Made in one piece; three fit in without an allocation.
class TensorList {
 public:
    TensorList() = default;
    TensorList(std::span<const TensorIndex> list) : size_(static_cast<std::uint32_t>(list.size())) {
        TensorIndex* to = words_.data();
        if (size_ > kInside) {
            to = new TensorIndex[size_];
            std::memcpy(words_.data(), &to, sizeof(to));
        }
        std::copy(list.begin(), list.end(), to);
    }
    TensorList(const std::vector<TensorIndex>& list) : TensorList(std::span(list)) {}
    TensorList(std::initializer_list<TensorIndex> list)
        : TensorList(std::span(list.begin(), list.size())) {}
    TensorList(const TensorList& other) : TensorList(std::span(other)) {}
    TensorList(TensorList&& other) noexcept
        : size_(std::exchange(other.size_, 0)), words_(other.words_) {}
    TensorList& operator=(TensorList other) noexcept {
        std::swap(size_, other.size_);
        std::swap(words_, other.words_);
        return *this;
    }
    ~TensorList() {
        if (size_ > kInside) delete[] data();
    }

    operator std::vector<TensorIndex>() const { return {begin(), end()}; }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    TensorIndex* data() { return const_cast<TensorIndex*>(std::as_const(*this).data()); }
    const TensorIndex* data() const {
        if (size_ <= kInside) return words_.data();
        const TensorIndex* list = nullptr;
        std::memcpy(&list, words_.data(), sizeof(list));
        return list;
    }
    TensorIndex* begin() { return data(); }
    TensorIndex* end() { return data() + size_; }
    const TensorIndex* begin() const { return data(); }
    const TensorIndex* end() const { return data() + size_; }
    TensorIndex& operator[](std::size_t n) { return data()[n]; }
    TensorIndex operator[](std::size_t n) const { return data()[n]; }
    TensorIndex back() const { return data()[size_ - 1]; }

 private:
    static constexpr std::uint32_t kInside = 3;

    std::uint32_t size_ = 0;
    std::array<TensorIndex, kInside> words_{};  ///< the list, or the address of a longer one
};

/// Where something stands in a list, or nothing: four bytes.
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
