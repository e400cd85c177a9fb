// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace okksim {

/// What a user who wrote `word` may have meant: the word of `known` that the fewest changed, added,
/// missing or exchanged letters lead to; nothing when they are more than a third of the longer
/// word.
std::string closest_word(std::string_view word, const std::vector<std::string>& known);

/// "; did you mean \"...\"?", or nothing, for the end of a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace okksim
