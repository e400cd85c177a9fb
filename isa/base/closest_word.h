// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace okksim {

/// Returns the word of `known` that the user probably meant by `word`. It is the word with the
/// fewest changed, added, missing or exchanged letters. Returns an empty string if more than a
/// third of the longer word differs.
std::string closest_word(std::string_view word, const std::vector<std::string>& known);

/// Returns "; did you mean \"...\"?" for the end of a message, or an empty string.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace okksim
