// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "isa/instructions.h"
#include "isa/types.h"

namespace okksim::isa {

/// An enumerator of the API with its documented name.
struct NamedOpType {
    OpType type;
    const char* name;  ///< e.g. "S8_OP_U8_TO_S16"
};
struct NamedMulType {
    MulType type;
    const char* name;  ///< e.g. "S16_MUL_S8_TO_S16"
};

struct NamedElementType {
    ElementType type;
    const char* name;  ///< e.g. "OKK_INT8"
};

/// All enumerators, in ascending order of their values (seed "op_type_t", "mul_type_t").
std::span<const NamedOpType> op_types();
std::span<const NamedMulType> mul_types();
/// All element types of okk_features.h.
std::span<const NamedElementType> element_types();

/// Documented name, or nullptr when the value is not an enumerator.
const char* op_type_name(OpType type);
const char* mul_type_name(MulType type);
const char* element_type_name(ElementType type);

/// The enumerator with a documented name.
std::optional<OpType> find_op_type(std::string_view name);
std::optional<MulType> find_mul_type(std::string_view name);
std::optional<ElementType> find_element_type(std::string_view name);

/// Set of op_type values; bit i is the enumerator with value i.
using OpTypeSet = std::uint32_t;
constexpr OpTypeSet op_type_bit(OpType type) {
    return OpTypeSet{1} << static_cast<std::uint32_t>(type);
}

/// The op_type values that the API reference allows for a fixed-point instruction;
/// `is_origin_dst_signed` matters to the multiply-accumulate pair only. Empty for instructions
/// without an op_type.
OpTypeSet allowed_op_types(Opcode opcode, bool is_origin_dst_signed);

}  // namespace okksim::isa
