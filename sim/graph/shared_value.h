// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <utility>

namespace okksim::sim::graph {

/// A copy-on-write value of eight bytes for any T. T() needs no further memory.
template <typename T>
class SharedValue {
 public:
    SharedValue() = default;
    SharedValue(T value) {
        if (!is_default(value)) held_ = new Held{std::move(value)};
    }
    /// Constructs the value from anything that converts to T.
    template <typename From>
    requires(std::convertible_to<From, T> && !std::derived_from<From, SharedValue> &&
             !std::same_as<From, T>) SharedValue(From value)
        : SharedValue(T(std::move(value))) {}
    SharedValue(const SharedValue& other) : held_(other.held_) {
        if (held_ != nullptr) held_->users.fetch_add(1, std::memory_order_relaxed);
    }
    SharedValue(SharedValue&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
    SharedValue& operator=(SharedValue other) noexcept {
        std::swap(held_, other.held_);
        return *this;
    }
    ~SharedValue() {
        if (held_ != nullptr && held_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete held_;
        }
    }

    const T& get() const {
        static const T none{};
        return held_ == nullptr ? none : held_->value;
    }
    operator const T&() const { return get(); }

    /// Returns the value for modification, detached from its copies.
    T& edit() {
        if (held_ == nullptr || held_->users.load(std::memory_order_acquire) > 1) {
            SharedValue own;
            own.held_ = new Held{get()};
            *this = std::move(own);
        }
        return held_->value;
    }

 private:
    struct Held {
        T value;
        std::atomic<std::uint32_t> users{1};
    };
    // True for an empty list, or a variant that holds its first alternative.
    static bool is_default(const T& value) {
        if constexpr (requires { value.index(); }) {
            return value.index() == 0;
        } else {
            return value.empty();
        }
    }

    Held* held_ = nullptr;
};

}  // namespace okksim::sim::graph
