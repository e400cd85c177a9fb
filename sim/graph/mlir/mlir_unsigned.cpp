// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_unsigned.h"

#include <algorithm>

#include "sim/graph/mlir/mlir_problem.h"

namespace okksim::sim::graph {

namespace {

/// True if the result consists of elements of the operands, whatever they represent.
bool moves_values(OpCode code, const Attributes& attributes) {
    static constexpr OpCode kMoves[] = {OpCode::kConcat,   OpCode::kCustom,  OpCode::kGather,
                                        OpCode::kIdentity, OpCode::kPad,     OpCode::kReshape,
                                        OpCode::kReverse,  OpCode::kScatter, OpCode::kSelect,
                                        OpCode::kSlice,    OpCode::kTile,    OpCode::kTranspose};
    const auto* resize = std::get_if<ResizeAttributes>(&attributes);
    if (resize != nullptr) return resize->mode == ResizeMode::kNearestNeighbor;
    return std::find(std::begin(kMoves), std::end(kMoves), code) != std::end(kMoves);
}

[[noreturn]] void refuse(const MlirOperation& op, const MlirType& type, std::size_t at,
                         const char* what, TextReport& report) {
    std::string_view signless = type.spelling;
    signless.remove_prefix(1);
    // RESCALE supports unsigned values of 8 and 16 bits.
    const bool has_rescale = type.type == DType::kI8 || type.type == DType::kI16;
    report.fatal(at, "the " + std::string(what) + " of '" + std::string(op.name) + "' is " +
                         std::string(type.spelling) +
                         ", and the operation computes with signed values: " +
                         (has_rescale ? "rescale between them with tosa.rescale and input_unsigned "
                                        "or output_unsigned, or make the tool write "
                                      : "no operation rescales between them; if all values are "
                                        "below half the range, make the tool write ") +
                         std::string(signless));
}

void check_rescale(const MlirOperation& op, const RescaleAttributes& attributes,
                   TextReport& report) {
    constexpr std::size_t kInput = 0, kInputZeroPoint = 3, kOutputZeroPoint = 4;
    const auto disagree = [&](const MlirType& type, std::size_t at, const char* flag) {
        report.fatal(at, "'tosa.rescale' has " + std::string(type.spelling) + " here, and " + flag +
                             " = false: " + flag + " = true where the values are unsigned");
    };
    for (std::size_t i = 0; i < op.operand_types.size(); ++i) {
        const MlirType& type = op.operand_types[i];
        if (!type.is_unsigned) continue;
        const std::size_t at = op.operands[i].at;
        const bool is_input = i == kInput || i == kInputZeroPoint;
        if (!is_input && i != kOutputZeroPoint) refuse(op, type, at, "operand", report);
        if (is_input && !attributes.input_unsigned) disagree(type, at, "input_unsigned");
        if (!is_input && !attributes.output_unsigned) disagree(type, at, "output_unsigned");
    }
    const MlirType& result = op.result_types[0];
    if (result.is_unsigned && !attributes.output_unsigned) {
        disagree(result, op.at, "output_unsigned");
    }
}

}  // namespace

void check_unsigned_types(const MlirOperation& op, OpCode code, const Attributes& attributes,
                          TextReport& report) {
    if (code == OpCode::kRescale) {
        return check_rescale(op, std::get<RescaleAttributes>(attributes), report);
    }
    if (moves_values(code, attributes)) return;
    for (std::size_t i = 0; i < op.operand_types.size(); ++i) {
        if (op.operand_types[i].is_unsigned) {
            refuse(op, op.operand_types[i], op.operands[i].at, "operand", report);
        }
    }
    for (const MlirType& type : op.result_types) {
        if (type.is_unsigned) refuse(op, type, op.at, "result", report);
    }
}

}  // namespace okksim::sim::graph
