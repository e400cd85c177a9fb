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
    std::string_view needs;  ///< profiles or extensions, in the words of the table
    std::string_view mode;   ///< "signed 8x8 with int32 accumulate"
    std::array<TypeValue, 4> types;

    /// Returns the type of a parameter in this row; kUnknown if the row lacks the parameter.
    DType type_of(ArgumentType parameter) const;
};

/// Returns the rows of an operator; never empty.
std::span<const TypeRow> type_rows(OpCode op);

}  // namespace okksim::sim::graph
