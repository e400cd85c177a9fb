// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace okksim::sim::graph {

/// One element that represents all bytes of a constant. A large "dense<7>" needs little memory
/// until a caller requests the bytes.
class RepeatedElement {
 public:
    /// `element` has up to eight bytes and repeats up to `bytes`.
    RepeatedElement(std::span<const std::byte> element, std::uint64_t bytes);

    std::span<const std::byte> element() const { return std::span(element_).first(size_); }
    std::uint64_t bytes() const { return bytes_; }
    /// Returns all bytes. The first call creates them; they are kept.
    std::span<const std::byte> all() const;

 private:
    std::array<std::byte, 8> element_{};
    std::uint8_t size_;
    std::uint64_t bytes_;
    mutable std::once_flag made_;
    mutable std::unique_ptr<std::byte[]> all_;
};

/// The bytes of a constant: a view of the bytes, or one repeated element. It does not own either;
/// the creator keeps them alive.
class ConstantData {
 public:
    ConstantData() = default;
    ConstantData(std::span<const std::byte> bytes) : at_(bytes.data()), size_(bytes.size()) {}
    explicit ConstantData(const RepeatedElement& all)
        : at_(&all), size_(all.bytes()), is_repeated_(true) {}

    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// Returns the repeated element; nullptr if the bytes exist.
    const RepeatedElement* repeated() const {
        return is_repeated_ ? static_cast<const RepeatedElement*>(at_) : nullptr;
    }
    /// Returns an address that differs between constants.
    const void* identity() const { return at_; }
    /// Returns all bytes. A repeated element then occupies its full size permanently.
    std::span<const std::byte> bytes() const {
        return is_repeated_ ? repeated()->all()
                            : std::span(static_cast<const std::byte*>(at_), size_);
    }
    operator std::span<const std::byte>() const { return bytes(); }

    /// Calls visit(bytes, offset) for all bytes, in pieces of at most `most` bytes.
    template <typename Visit>
    void for_each_piece(std::size_t most, Visit&& visit) const {
        if (const RepeatedElement* all = repeated()) {
            const std::vector<std::byte> pattern = pattern_of(*all, most);
            for (std::uint64_t at = 0; at < size_; at += pattern.size()) {
                visit(std::span(pattern).first(std::min<std::uint64_t>(pattern.size(), size_ - at)),
                      at);
            }
            return;
        }
        const std::span<const std::byte> view = bytes();
        for (std::size_t at = 0; at < view.size(); at += most) {
            visit(view.subspan(at, std::min(most, view.size() - at)), std::uint64_t{at});
        }
    }

 private:
    /// Returns the element repeated as often as it fits in `most` bytes and in the constant.
    static std::vector<std::byte> pattern_of(const RepeatedElement& all, std::size_t most);

    const void* at_ = nullptr;
    std::uint64_t size_ : 63 = 0;
    std::uint64_t is_repeated_ : 1 = 0;
};

}  // namespace okksim::sim::graph
