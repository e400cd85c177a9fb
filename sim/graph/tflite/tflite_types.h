// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/graph/graph.h"
#include "sim/graph/tflite/tflite_file.h"
#include "sim/graph/unread_parts.h"

namespace okksim::sim::graph::tflite {

using wire::TensorType;

/// Returns the name of the schema: "INT8".
inline std::string type_name(TensorType type) {
    const char* name = wire::EnumNameTensorType(type);
    return *name == '\0' ? "type " + std::to_string(static_cast<int>(type)) : name;
}

/// Returns the type inside the graph: uint8 values are int8 with the zero point shifted by 128,
/// and int64 values are int32. kUnknown for unsupported types.
inline DType device_type(TensorType type) {
    switch (type) {
        case TensorType::FLOAT32: return DType::kFp32;
        case TensorType::FLOAT16: return DType::kFp16;
        case TensorType::INT8:
        case TensorType::UINT8:
        case TensorType::INT4: return DType::kI8;
        case TensorType::INT16: return DType::kI16;
        case TensorType::INT32:
        case TensorType::INT64: return DType::kI32;
        case TensorType::BOOL: return DType::kBool;
        default: return DType::kUnknown;
    }
}

/// Returns the bytes that `count` elements take in the file.
inline std::uint64_t file_bytes(TensorType type, std::uint64_t count) {
    switch (type) {
        case TensorType::INT4: return (count + 1) / 2;
        case TensorType::INT64:
        case TensorType::FLOAT64:
        case TensorType::UINT64: return count * 8;
        case TensorType::COMPLEX64: return count * 8;
        case TensorType::COMPLEX128: return count * 16;
        case TensorType::UINT16:
        case TensorType::BFLOAT16: return count * 2;
        case TensorType::UINT32: return count * 4;
        default: return storage_bytes(device_type(type), count);
    }
}

}  // namespace okksim::sim::graph::tflite
