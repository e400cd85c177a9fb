// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// The name of a value as MLIR allows it, without the sign. Characters that it does not allow
/// become $XX (hexadecimal); `copy` > 0 ends it with $.copy, for names that are taken.
std::string encode_value_name(std::string_view name, std::uint64_t copy = 0);

/// The other way round; any other name stays as it is.
std::string decode_value_name(std::string_view text);

/// Gives the values of a graph whose captures are bound the names that encode_value_name was given,
/// where they are free in their block.
void decode_value_names(Graph& graph);

}  // namespace okksim::sim::graph
