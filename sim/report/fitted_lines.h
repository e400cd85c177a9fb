// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace okksim::sim::report {

/// A text whose lines have at most `width` letters, wherever they have blanks; nothing is lost.
/// Lines below each other that have columns in common stay a table: the gaps between columns become
/// narrower, and columns that do not fit go to a second line of the row, below each other.
std::string fitted_lines(std::string_view text, std::size_t width);

}  // namespace okksim::sim::report
