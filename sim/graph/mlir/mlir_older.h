// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace okksim::sim::graph {

/// Returns the operation's current name; it differs only if the operation was renamed.
std::string_view present_name(std::string_view operation);

/// Return advice about an operation or attribute of the dialect before TOSA 1.0 (LLVM up to 20).
/// Append it to the message. Empty for all others.
std::string_view advice_for_older_operation(std::string_view name);
std::string_view advice_for_older_attribute(std::string_view name);
/// Returns advice for an operation with fewer operands than now, as zero points and shapes were
/// attributes.
std::string_view advice_for_older_operands(std::string_view name);

}  // namespace okksim::sim::graph
