// SPDX-License-Identifier: Apache-2.0
#include "kernels/tosa/tosa_types.h"

#include <iterator>

#include "isa/base/errors.h"

namespace okksim::tosa {

std::string_view dtype_name(DType type) {
    switch (type) {
        case DType::kUnknown: return "unknown";
        case DType::kBool: return "bool_t";
        case DType::kI4: return "i4_t";
        case DType::kI8: return "i8_t";
        case DType::kI16: return "i16_t";
        case DType::kI32: return "i32_t";
        case DType::kI48: return "i48_t";
        case DType::kFp32: return "fp32_t";
        case DType::kFp16: return "fp16_t";
        case DType::kBf16: return "bf16_t";
        case DType::kShape: return "shape_t";
        case DType::kFp8E4M3: return "fp8e4m3_t";
        case DType::kFp8E5M2: return "fp8e5m2_t";
    }
    return "invalid";
}

int storage_bits(DType type) {
    switch (type) {
        case DType::kUnknown: return 0;
        case DType::kI4: return 4;
        case DType::kBool:
        case DType::kI8:
        case DType::kFp8E4M3:
        case DType::kFp8E5M2: return 8;
        case DType::kI16:
        case DType::kFp16:
        case DType::kBf16: return 16;
        case DType::kI32:
        case DType::kFp32: return 32;
        case DType::kI48: return 48;
        case DType::kShape: return 64;
    }
    return 0;
}

std::uint64_t storage_bytes(DType type, std::uint64_t elements) {
    const auto bits = static_cast<std::uint64_t>(storage_bits(type));
    return bits == 4 ? elements / 2 + elements % 2 : elements * (bits / 8);
}

bool is_integer(DType type) {
    return type == DType::kI4 || type == DType::kI8 || type == DType::kI16 || type == DType::kI32 ||
           type == DType::kI48;
}

bool is_floating_point(DType type) {
    return type == DType::kFp8E4M3 || type == DType::kFp8E5M2 || type == DType::kFp16 ||
           type == DType::kBf16 || type == DType::kFp32;
}

namespace {

struct OperatorNames {
    std::string_view name, section;
};

constexpr OperatorNames kNames[] = {
#define OKKSIM_OP_CODE(enumerator, number, name, section) {name, section},
#include "kernels/tosa/op_codes.def"
#undef OKKSIM_OP_CODE
};

const OperatorNames& names_of(OpCode op) {
    const auto number = static_cast<std::size_t>(op);
    OKKSIM_CHECK(number >= 1 && number <= std::size(kNames));
    return kNames[number - 1];
}

}  // namespace

std::string_view op_name(OpCode op) { return names_of(op).name; }
std::string_view op_section(OpCode op) { return names_of(op).section; }

}  // namespace okksim::tosa
