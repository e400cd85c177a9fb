// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_element.h"

namespace okksim::sim::graph::xmodel {

std::string ElementType::name() const {
    const auto word = [this]() -> std::string {
        switch (kind) {
            case ElementKind::kInt: return "INT";
            case ElementKind::kUint: return "UINT";
            case ElementKind::kFixed: return "XINT";
            case ElementKind::kUnsignedFixed: return "XUINT";
            case ElementKind::kFloat: return "FLOAT";
            case ElementKind::kBfloat: return "BFLOAT";
        }
        return "kind " + std::to_string(static_cast<int>(kind)) + " of ";
    };
    return word() + std::to_string(bits);
}

DType ElementType::device_type() const {
    if (kind == ElementKind::kBfloat) return bits == 16 ? DType::kBf16 : DType::kUnknown;
    if (kind == ElementKind::kFloat) {
        if (bits == 16) return DType::kFp16;
        if (bits == 32) return DType::kFp32;
        return bits == 64 ? DType::kI32 : DType::kUnknown;
    }
    switch (bits) {
        case 8: return DType::kI8;
        case 16: return DType::kI16;
        case 32:
        case 64: return DType::kI32;
        default: return DType::kUnknown;
    }
}

FileWords ElementType::words() const {
    if (!is_wide()) return FileWords::kNone;
    if (is_float()) return FileWords::kFloat64;
    return is_unsigned() ? FileWords::kUint64 : FileWords::kInt64;
}

bool ElementType::is_unsigned() const {
    return kind == ElementKind::kUint || kind == ElementKind::kUnsignedFixed;
}

bool ElementType::has_arithmetic() const {
    switch (kind) {
        case ElementKind::kInt: return device_type() != DType::kUnknown;
        case ElementKind::kFixed: return bits == 8;
        case ElementKind::kFloat: return bits == 16 || bits == 32;
        case ElementKind::kBfloat: return bits == 16;
        case ElementKind::kUint:
        case ElementKind::kUnsignedFixed: return false;
    }
    return false;
}

}  // namespace okksim::sim::graph::xmodel
