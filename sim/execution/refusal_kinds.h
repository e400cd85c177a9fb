// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace okksim::sim::execution {

/// True if the message of a refused graph is about the kind of violation that a test names, such as
/// "WrongRank" (check::TestCase::error_if). Unknown kinds agree with every message.
bool agrees_with_kind(std::string_view kind, std::string_view message);

}  // namespace okksim::sim::execution
