// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "sim/graph/graph_types.h"
#include "sim/graph/tosa_features.h"
#include "sim/graph/validate/signatures.h"

namespace okksim::sim::graph {

/// Value of one type parameter in a row.
struct TypeValue {
    ArgumentType parameter = ArgumentType::kAny;
    DType type = DType::kUnknown;
};

/// One row of an operator's "Supported Data Types" table.
struct TypeRow {
    OpCode op;
    std::string_view needs;  ///< profiles or extensions, as the table says it
    std::string_view mode;   ///< "signed 8x8 with int32 accumulate"
    std::array<TypeValue, 4> types;

    /// The type of a parameter in this row, or kUnknown when the row does not have the parameter.
    DType type_of(ArgumentType parameter) const;
};

/// The rows of an operator; never empty.
std::span<const TypeRow> type_rows(OpCode op);

}  // namespace okksim::sim::graph
