// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace okksim::sim::golden {

/// Returns a number of a file in [low, high]. Throws runtime_error with the name `what` for other
/// values.
inline std::int64_t whole_number(const nlohmann::json& value, const std::string& what,
                                 std::int64_t low, std::int64_t high) {
    const bool is_large =
        value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    const bool is_whole = value.is_number_integer() && !is_large;
    const auto number = is_whole ? value.get<std::int64_t>() : 0;
    if (!is_whole || number < low || number > high) {
        throw std::runtime_error(what + " = " + value.dump() + " is no whole number in [" +
                                 std::to_string(low) + ", " + std::to_string(high) + "]");
    }
    return number;
}

/// Returns a number in the range of `Integer`.
template <typename Integer>
Integer whole_number(const nlohmann::json& value, const std::string& what) {
    using Limits = std::numeric_limits<Integer>;
    return static_cast<Integer>(whole_number(value, what, Limits::min(), Limits::max()));
}

}  // namespace okksim::sim::golden
