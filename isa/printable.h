// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace okksim {

/// A name or value from a file as it may stand in a line of a report or message: bytes that would
/// move a terminal's cursor, colour it, end the line or turn the direction of writing, and bytes
/// that are no UTF-8, stand as \xNN; everything else is as it was.
std::string printable(std::string_view text);

/// The same for a text of several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace okksim
