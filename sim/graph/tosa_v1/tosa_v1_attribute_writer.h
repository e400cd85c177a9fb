// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/graph/graph.h"
#include "tosa_v1_generated.h"

namespace okksim::sim::graph {

/// Writes bytes aligned to 8, as constants are.
flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> bytes_of(
    flatbuffers::FlatBufferBuilder& builder, std::span<const std::byte> data);

inline wire::DType wire_type(DType type) { return static_cast<wire::DType>(type); }

/// Writes the attribute table of an operator.
flatbuffers::Offset<void> write_attributes(flatbuffers::FlatBufferBuilder& builder,
                                           const Graph& graph, const Operator& op);

}  // namespace okksim::sim::graph
