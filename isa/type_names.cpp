// SPDX-License-Identifier: Apache-2.0
#include "isa/type_names.h"

#include <array>

namespace okksim::isa {
namespace {

constexpr auto kOpTypes = std::to_array<NamedOpType>({
    {OpType::kU16U16ToU16, "U16_OP_U16_TO_U16"}, {OpType::kU8U8ToU16, "U8_OP_U8_TO_U16"},
    {OpType::kU16U16ToU8, "U16_OP_U16_TO_U8"},   {OpType::kU8U8ToU8, "U8_OP_U8_TO_U8"},
    {OpType::kU16U16ToS16, "U16_OP_U16_TO_S16"}, {OpType::kU8U8ToS16, "U8_OP_U8_TO_S16"},
    {OpType::kS16U16ToS16, "S16_OP_U16_TO_S16"}, {OpType::kS8U8ToS16, "S8_OP_U8_TO_S16"},
    {OpType::kU16S16ToS16, "U16_OP_S16_TO_S16"}, {OpType::kU8S8ToS16, "U8_OP_S8_TO_S16"},
    {OpType::kS16S16ToS16, "S16_OP_S16_TO_S16"}, {OpType::kS8S8ToS16, "S8_OP_S8_TO_S16"},
    {OpType::kU16U16ToS8, "U16_OP_U16_TO_S8"},   {OpType::kU8U8ToS8, "U8_OP_U8_TO_S8"},
    {OpType::kS16U16ToS8, "S16_OP_U16_TO_S8"},   {OpType::kS8U8ToS8, "S8_OP_U8_TO_S8"},
    {OpType::kU16S16ToS8, "U16_OP_S16_TO_S8"},   {OpType::kU8S8ToS8, "U8_OP_S8_TO_S8"},
    {OpType::kS16S16ToS8, "S16_OP_S16_TO_S8"},   {OpType::kS8S8ToS8, "S8_OP_S8_TO_S8"},
});

constexpr auto kMulTypes = std::to_array<NamedMulType>({
    {MulType::kU16U8ToU16, "U16_MUL_U8_TO_U16"},
    {MulType::kS16U8ToS16, "S16_MUL_U8_TO_S16"},
    {MulType::kU16S8ToS16, "U16_MUL_S8_TO_S16"},
    {MulType::kS16S8ToS16, "S16_MUL_S8_TO_S16"},
});

constexpr auto kElementNames = std::to_array<NamedElementType>({
    {ElementType::kInt8, "OKK_INT8"},
    {ElementType::kUint8, "OKK_UINT8"},
    {ElementType::kInt16, "OKK_INT16"},
    {ElementType::kUint16, "OKK_UINT16"},
    {ElementType::kInt32, "OKK_INT32"},
    {ElementType::kInt48, "OKK_INT48"},
    {ElementType::kFp16, "OKK_FP16"},
    {ElementType::kBf16, "OKK_BF16"},
    {ElementType::kFp32, "OKK_FP32"},
});
static_assert(kElementNames.size() == kElementTypes);

template <typename... Types>
constexpr OpTypeSet set_of(Types... types) {
    return (op_type_bit(types) | ...);
}

// Results that may be negative are signed: both operands signed, or one of each.
constexpr OpTypeSet kSigned8 = set_of(OpType::kS8S8ToS8, OpType::kS8S8ToS16, OpType::kS8U8ToS8,
                                      OpType::kS8U8ToS16, OpType::kU8S8ToS8, OpType::kU8S8ToS16);
constexpr OpTypeSet kSigned16 =
    set_of(OpType::kS16S16ToS8, OpType::kS16S16ToS16, OpType::kS16U16ToS8, OpType::kS16U16ToS16,
           OpType::kU16S16ToS8, OpType::kU16S16ToS16);

// The sets that semantics columns of instructions.def name:
constexpr OpTypeSet kProducts = kSigned8 | set_of(OpType::kU8U8ToU8, OpType::kU8U8ToU16);
constexpr OpTypeSet kSums =
    kProducts | kSigned16 | set_of(OpType::kU16U16ToU8, OpType::kU16U16ToU16);
constexpr OpTypeSet kDifferences =
    kSigned8 | kSigned16 |
    set_of(OpType::kU8U8ToS8, OpType::kU8U8ToS16, OpType::kU16U16ToS8, OpType::kU16U16ToS16);
constexpr OpTypeSet kSignedProductSums =
    set_of(OpType::kS8S8ToS16, OpType::kS8U8ToS16, OpType::kU8S8ToS16);
constexpr OpTypeSet kProductSums = kSignedProductSums | set_of(OpType::kU8U8ToU16);
constexpr OpTypeSet kNoTypes = 0;
constexpr OpTypeSet kComparisons =
    set_of(OpType::kS8S8ToS8, OpType::kU8U8ToU8, OpType::kS16S16ToS16, OpType::kU16U16ToU16);

}  // namespace

std::span<const NamedOpType> op_types() { return kOpTypes; }
std::span<const NamedMulType> mul_types() { return kMulTypes; }
std::span<const NamedElementType> element_types() { return kElementNames; }

const char* op_type_name(OpType type) {
    for (const NamedOpType& row : kOpTypes) {
        if (row.type == type) return row.name;
    }
    return nullptr;
}

const char* mul_type_name(MulType type) {
    for (const NamedMulType& row : kMulTypes) {
        if (row.type == type) return row.name;
    }
    return nullptr;
}

const char* element_type_name(ElementType type) {
    for (const NamedElementType& row : kElementNames) {
        if (row.type == type) return row.name;
    }
    return nullptr;
}

std::optional<OpType> find_op_type(std::string_view name) {
    for (const NamedOpType& row : kOpTypes) {
        if (name == row.name) return row.type;
    }
    return std::nullopt;
}

std::optional<MulType> find_mul_type(std::string_view name) {
    for (const NamedMulType& row : kMulTypes) {
        if (name == row.name) return row.type;
    }
    return std::nullopt;
}

std::optional<ElementType> find_element_type(std::string_view name) {
    for (const NamedElementType& row : kElementNames) {
        if (name == row.name) return row.type;
    }
    return std::nullopt;
}

OpTypeSet allowed_op_types(Opcode opcode, bool is_origin_dst_signed) {
    // The op_types that a semantics column names; none but fixed(Op, types) does.
#define OKKSIM_TYPES_fixed(op, types) types
#define OKKSIM_TYPES_vector(...) kNoTypes
#define OKKSIM_TYPES_array(...) kNoTypes
#define OKKSIM_TYPES_typed(...) kNoTypes
#define OKKSIM_TYPES_mover(...) kNoTypes
#define OKKSIM_TYPES_sequence(...) kNoTypes
    static constexpr auto kAllowed = std::to_array<OpTypeSet>({
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, ...) \
    OKKSIM_TYPES_##semantics,
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
    });
#undef OKKSIM_TYPES_fixed
#undef OKKSIM_TYPES_vector
#undef OKKSIM_TYPES_array
#undef OKKSIM_TYPES_typed
#undef OKKSIM_TYPES_mover
#undef OKKSIM_TYPES_sequence
    const OpTypeSet allowed = kAllowed[row_index(instruction(opcode))];
    return is_origin_dst_signed && allowed == kProductSums ? kSignedProductSums : allowed;
}

}  // namespace okksim::isa
