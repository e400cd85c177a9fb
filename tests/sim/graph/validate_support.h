// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isa/base/fault.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {

using Build = std::function<void(GraphBuilder&)>;
using Indices = std::vector<TensorIndex>;

/// Message of the refusal, or "legal".
inline std::string verdict(const Build& build, const ValidationOptions& options = {}) {
    GraphBuilder builder;
    build(builder);
    try {
        validate_graph(builder.finish(), options);
    } catch (const ProgramFault& fault) {
        CHECK(fault.record().code == FaultCode::kIllegalGraph);
        return fault.what();
    }
    return "legal";
}

inline void expect(const Build& build, const std::string& text) {
    const std::string found = verdict(build);
    INFO(found);
    CHECK(found.find(text) != std::string::npos);
}

inline constexpr DType kF32 = DType::kFp32;
inline constexpr DType kI32 = DType::kI32;
inline constexpr DType kI8 = DType::kI8;
inline const NoAttributes kNone;

/// An operator on inputs of one type, without constants.
inline Build simple(OpCode op, Attributes attributes, std::vector<Shape> inputs, DType type,
                    Shape output, std::optional<DType> out_type = {}) {
    return [=](GraphBuilder& b) {
        Indices indices;
        for (const Shape& shape : inputs) indices.push_back(b.input(type, shape));
        b.output(b.add(op, attributes, indices, out_type.value_or(type), output));
    };
}

}  // namespace okksim::sim::graph
