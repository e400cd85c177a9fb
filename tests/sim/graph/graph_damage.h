// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/graph/graph.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

using FileBytes = std::vector<std::uint8_t>;

/// Damages a file: flipped bits, bytes, words with treacherous values (offsets and lengths),
/// truncation, parts moved, repeated, or taken from `other`.
void damage_bytes(FileBytes& bytes, const FileBytes& other, RandomSource& random);

/// Makes a few changes to a graph that keep the file well-formed: types, shapes, operands,
/// attributes, operators. The result is usually illegal.
void damage_graph(sim::graph::Graph& graph, RandomSource& random);

}  // namespace okksim::tests
