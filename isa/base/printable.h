// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace okksim {

/// Returns a name or value from a file in a form that is safe in a line of a report or message. The
/// form \xNN replaces bytes that control a terminal, end the line or change the writing direction,
/// and bytes that are not UTF-8. All other bytes stay.
std::string printable(std::string_view text);

/// printable() for a text of several lines: line ends and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace okksim
