// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace okksim::sim::trace {

/// One argument of a recorded call as a JSON value.
struct CallToken {
    enum class Kind : std::uint8_t { kNull, kBool, kInteger, kReal, kString, kList };
    static constexpr int kLongestList = 4;

    Kind kind = Kind::kNull;
    std::int64_t integer = 0;  ///< also for kBool
    double real = 0;           ///< also for kInteger
    std::string text;
    std::array<std::int64_t, kLongestList> list{};
    int list_size = 0;
};

/// The elements of a recorded call: its name and up to 15 arguments. Reused from line to line.
struct CallTokens {
    static constexpr int kMost = 16;
    std::array<CallToken, kMost> tokens;
    int size = 0;
};

/// Splits one line: a JSON array of scalars and short lists of integers. Returns the error, or an
/// empty string.
std::string split_call(std::string_view line, CallTokens& tokens);

}  // namespace okksim::sim::trace
