// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/tosa/attributes.h"

namespace okksim::sim::planning {

/// Collects the values that determine an answer. Answers to requests with equal keys are equal.
class KeyWriter {
 public:
    template <typename Value>
    void put(const Value& value) {
        static_assert(std::is_trivially_copyable_v<Value>);
        append(std::as_bytes(std::span(&value, 1)));
    }
    template <typename Value>
    void put(const std::vector<Value>& values) {
        put(values.size());
        for (const Value& value : values) put(value);
    }
    void put(const std::string& text) {
        put(text.size());
        key_.append(text);
    }
    void put(const tosa::Attributes& attributes) {
        put(attributes.index());
        std::visit(
            [this](const auto& own) {
                if constexpr (std::is_trivially_copyable_v<std::remove_cvref_t<decltype(own)>>) {
                    put(own);
                } else {
                    // Control flow and custom operators have no built-in kernels, so no two calls
                    // are equal.
                    put(&own);
                }
            },
            attributes);
    }
    std::string take() { return std::move(key_); }

 protected:
    void append(std::span<const std::byte> bytes) {
        key_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

 private:
    std::string key_;
};

}  // namespace okksim::sim::planning
