// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tosa_v1/tosa_v1_attribute_hash.h"

#include <span>
#include <variant>

#include "isa/base/fnv1a.h"
#include "sim/graph/tosa_v1/tosa_v1_attribute_writer.h"

namespace okksim::sim::graph {

std::uint64_t attribute_hash(const Graph& graph, const Operator& op) {
    const tosa::Attributes& attributes = op.attributes.get();
    if (std::holds_alternative<tosa::NoAttributes>(attributes) ||
        std::holds_alternative<tosa::VariableAttributes>(attributes) ||
        std::holds_alternative<tosa::CondIfAttributes>(attributes) ||
        std::holds_alternative<tosa::WhileLoopAttributes>(attributes)) {
        return 0;
    }
    flatbuffers::FlatBufferBuilder builder;
    const auto table = write_attributes(builder, graph, op);
    builder.Finish(flatbuffers::Offset<flatbuffers::Table>(table.o));
    isa::Fnv1a hash;
    hash.add(std::as_bytes(std::span(builder.GetBufferPointer(), builder.GetSize())));
    return hash.value();
}

}  // namespace okksim::sim::graph
