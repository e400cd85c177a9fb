// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Returns the name of a value in MLIR syntax, without the sign. Invalid characters become $XX
/// (hexadecimal). For a taken name, `copy` > 0 appends $.copy.
std::string encode_value_name(std::string_view name, std::uint64_t copy = 0);

/// Inverts encode_value_name(); other names remain unchanged.
std::string decode_value_name(std::string_view text);

/// Restores the names that encode_value_name() encoded, unless they are taken in their block. The
/// captures of the graph must be bound.
void decode_value_names(Graph& graph);

}  // namespace okksim::sim::graph
