// SPDX-License-Identifier: Apache-2.0
#pragma once

// Catch2 2 (Debian 12) is one header. Catch2 3 (Debian 13) has other names for the string matchers.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#include <string>

namespace Catch {

inline Matchers::StringContainsMatcher Contains(const std::string& text) {
    return Matchers::ContainsSubstring(text);
}
using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::Matches;
using Matchers::StartsWith;

}  // namespace Catch

using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
