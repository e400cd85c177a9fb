// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace okksim::sim::graph {

/// The operation's name, or the one that it has now when only its name has changed.
std::string_view present_name(std::string_view operation);

/// What to do about an operation or an attribute that the dialect had before TOSA 1.0, in LLVM up
/// to 20; to be put behind the message. Empty for all others.
std::string_view advice_for_older_operation(std::string_view name);
std::string_view advice_for_older_attribute(std::string_view name);
/// For an operation with fewer operands than it has now: zero points and shapes were attributes.
std::string_view advice_for_older_operands(std::string_view name);

}  // namespace okksim::sim::graph
