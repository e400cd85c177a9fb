// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Bytes that a function computes on request, such as weights in another dimension order. A plan
/// needs no weights, so that it does not compute them.
class DeferredBytes {
 public:
    /// Writes all bytes. Each call gives the same bytes.
    using Fill = std::function<void(std::span<std::byte>)>;

    DeferredBytes(std::uint64_t bytes, Fill fill) : fill_(std::move(fill)), bytes_(bytes) {}

    std::uint64_t bytes() const { return bytes_; }
    /// Returns all bytes. The first call computes them; they are kept.
    std::span<const std::byte> all() const;
    /// Returns all bytes in memory of the caller.
    std::vector<std::byte> copy() const;

 private:
    Fill fill_;
    std::uint64_t bytes_;
    mutable std::once_flag made_;
    mutable std::unique_ptr<std::byte[]> all_;
};

/// The bytes of a constant: a view of the bytes, one repeated element, or a function. It does not
/// own any of them; the creator keeps them alive.
class ConstantData {
 public:
    ConstantData() = default;
    ConstantData(std::span<const std::byte> bytes) : at_(bytes.data()), size_(bytes.size()) {}
    explicit ConstantData(const RepeatedElement& all)
        : at_(&all), size_(all.bytes()), kind_(kRepeated) {}
    explicit ConstantData(const DeferredBytes& all)
        : at_(&all), size_(all.bytes()), kind_(kDeferred) {}

    std::uint64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// Returns the repeated element; nullptr for other forms.
    const RepeatedElement* repeated() const {
        return kind_ == kRepeated ? static_cast<const RepeatedElement*>(at_) : nullptr;
    }
    /// Returns the function of the bytes; nullptr for other forms.
    const DeferredBytes* deferred() const {
        return kind_ == kDeferred ? static_cast<const DeferredBytes*>(at_) : nullptr;
    }
    /// Returns an address that differs between constants.
    const void* identity() const { return at_; }
    /// True if the bytes exist.
    bool is_view() const { return kind_ == kView; }
    /// Returns all bytes. Forms other than a view then occupy their full size permanently.
    std::span<const std::byte> bytes() const {
        if (kind_ == kRepeated) return repeated()->all();
        if (kind_ == kDeferred) return deferred()->all();
        return {static_cast<const std::byte*>(at_), size_};
    }
    operator std::span<const std::byte>() const { return bytes(); }

    /// Calls visit(bytes, offset) for all bytes, in pieces of at most `most` bytes. Bytes that do
    /// not exist are computed for the call only.
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
        const std::vector<std::byte> computed =
            kind_ == kDeferred ? deferred()->copy() : std::vector<std::byte>();
        const std::span<const std::byte> view = kind_ == kDeferred ? computed : bytes();
        for (std::size_t at = 0; at < view.size(); at += most) {
            visit(view.subspan(at, std::min(most, view.size() - at)), std::uint64_t{at});
        }
    }

 private:
    /// Returns the element repeated as often as it fits in `most` bytes and in the constant.
    static std::vector<std::byte> pattern_of(const RepeatedElement& all, std::size_t most);

    enum Kind : std::uint8_t { kView, kRepeated, kDeferred };

    const void* at_ = nullptr;
    std::uint64_t size_ : 62 = 0;
    std::uint64_t kind_ : 2 = kView;
};

}  // namespace okksim::sim::graph
