// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_fields.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

#include "isa/base/closest_word.h"

namespace okksim::sim::graph {

std::string_view mode_word(ResizeMode mode) {
    switch (mode) {
        case ResizeMode::kNearestNeighbor: return "NEAREST_NEIGHBOR";
        case ResizeMode::kBilinear: return "BILINEAR";
        case ResizeMode::kUnknown: break;
    }
    return {};
}

std::string_view mode_word(NanPropagationMode mode) {
    switch (mode) {
        case NanPropagationMode::kPropagate: return "PROPAGATE";
        case NanPropagationMode::kIgnore: return "IGNORE";
        case NanPropagationMode::kUnknown: break;
    }
    return {};
}

std::string_view mode_word(RoundingMode mode) {
    switch (mode) {
        case RoundingMode::kSingleRound: return "SINGLE_ROUND";
        case RoundingMode::kInexactRound: return "INEXACT_ROUND";
        case RoundingMode::kDoubleRound: return "DOUBLE_ROUND";
        case RoundingMode::kUnknown: break;
    }
    return {};
}

std::string_view words_text(FileWords words) {
    switch (words) {
        case FileWords::kInt64: return "\"int64\"";
        case FileWords::kUint64: return "\"uint64\"";
        case FileWords::kFloat64: return "\"float64\"";
        case FileWords::kNone: break;
    }
    return "";
}

FileWords words_named(std::string_view text) {
    for (const FileWords words : {FileWords::kInt64, FileWords::kUint64, FileWords::kFloat64}) {
        if (words_text(words) == text) return words;
    }
    return FileWords::kNone;
}

std::string_view mode_type(ResizeMode) { return "resize_mode"; }
std::string_view mode_type(NanPropagationMode) { return "nan_mode"; }
std::string_view mode_type(RoundingMode) { return "rounding_mode"; }

std::string_view element_word(DType type) {
    switch (type) {
        case DType::kBool: return "i1";
        case DType::kI4: return "i4";
        case DType::kI8: return "i8";
        case DType::kI16: return "i16";
        case DType::kI32: return "i32";
        case DType::kI48: return "i48";
        case DType::kFp32: return "f32";
        case DType::kFp16: return "f16";
        case DType::kBf16: return "bf16";
        case DType::kShape: return "index";
        case DType::kFp8E4M3: return "f8E4M3FN";
        case DType::kFp8E5M2: return "f8E5M2";
        case DType::kUnknown: break;
    }
    return "none";
}

std::string operation_name(OpCode op) {
    std::string name(op_name(op));
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return name;
}

std::optional<OpCode> find_operation(std::string_view name) {
    static const auto kOperations = [] {
        std::unordered_map<std::string, OpCode> operations;
        for (int number = 1; number <= kOpCodeCount; ++number) {
            const auto op = static_cast<OpCode>(number);
            operations.emplace(operation_name(op), op);
        }
        return operations;
    }();
    const auto found = kOperations.find(std::string(name));
    if (found == kOperations.end()) return std::nullopt;
    return found->second;
}

std::string operation_meant(std::string_view name) {
    static const auto kNames = [] {
        std::vector<std::string> names{"tosa.yield"};
        for (int number = 1; number <= kOpCodeCount; ++number) {
            names.push_back("tosa." + operation_name(static_cast<OpCode>(number)));
        }
        return names;
    }();
    return did_you_mean(name, kNames);
}

bool has_one_type(OpCode op) {
    static constexpr OpCode kOperators[] = {OpCode::kAbs,
                                            OpCode::kAdd,
                                            OpCode::kBitwiseAnd,
                                            OpCode::kBitwiseNot,
                                            OpCode::kBitwiseOr,
                                            OpCode::kBitwiseXor,
                                            OpCode::kCeil,
                                            OpCode::kClamp,
                                            OpCode::kClz,
                                            OpCode::kCos,
                                            OpCode::kErf,
                                            OpCode::kExp,
                                            OpCode::kFloor,
                                            OpCode::kIdentity,
                                            OpCode::kIntdiv,
                                            OpCode::kLog,
                                            OpCode::kLogicalAnd,
                                            OpCode::kLogicalNot,
                                            OpCode::kLogicalOr,
                                            OpCode::kLogicalXor,
                                            OpCode::kMaximum,
                                            OpCode::kMinimum,
                                            OpCode::kPow,
                                            OpCode::kReciprocal,
                                            OpCode::kReverse,
                                            OpCode::kRsqrt,
                                            OpCode::kSigmoid,
                                            OpCode::kSin,
                                            OpCode::kSub,
                                            OpCode::kTanh,
                                            OpCode::kLogicalLeftShift,
                                            OpCode::kLogicalRightShift,
                                            OpCode::kArithmeticRightShift};
    return std::find(std::begin(kOperators), std::end(kOperators), op) != std::end(kOperators);
}

}  // namespace okksim::sim::graph
