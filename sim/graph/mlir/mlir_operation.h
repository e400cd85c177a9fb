// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/mlir/mlir_value.h"

namespace okksim::sim::graph {

/// A parsed operation with resolved operands, not yet an operator of the graph.
struct MlirOperation {
    struct Operand {
        TensorIndex tensor = 0;
        std::size_t at = 0;
    };
    struct Result {
        std::string_view name;  ///< with the sign
        std::size_t at = 0;
        std::uint64_t count = 1;  ///< of %name:count
    };
    std::string_view name;       ///< "tosa.abs"
    std::optional<OpCode> code;  ///< empty for unknown operations and terminators
    std::size_t at = 0;          ///< of the name
    std::size_t start = 0;       ///< of the whole operation
    std::vector<Result> results;
    std::vector<Operand> operands;
    std::vector<MlirNamedAttribute> attributes;
    std::vector<BlockReference> regions;
    std::vector<MlirType> operand_types;
    std::vector<MlirType> result_types;
    std::string location;
    bool is_broken = false;  ///< uses a value whose definition was wrong

    const MlirAttribute* find(std::string_view wanted) const {
        for (const MlirNamedAttribute& attribute : attributes) {
            if (attribute.name != wanted) continue;
            attribute.is_used = true;
            return &attribute.value;
        }
        return nullptr;
    }
};

class TextReport;

/// Returns the attributes of `op` for the operator `code`. Reports missing, wrong and unknown
/// attributes at the operation.
Attributes read_mlir_attributes(const MlirOperation& op, OpCode code, TextReport& report);

}  // namespace okksim::sim::graph
