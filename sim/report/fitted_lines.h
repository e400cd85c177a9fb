// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace okksim::sim::report {

/// Breaks lines at blanks so that they have at most `width` characters; no text is lost.
/// Consecutive lines with common columns stay a table. Gaps between columns become narrower first.
/// Columns that still do not fit go to a second line of the row, aligned with each other.
std::string fitted_lines(std::string_view text, std::size_t width);

}  // namespace okksim::sim::report
