// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "isa/types.h"

namespace okksim::isa {

/// What an operand is; decides its C type in the API, its words in a record and its notation.
enum class OperandKind : std::uint8_t {
    kLocal,     ///< local_addr_t, one word
    kSystem,    ///< system_addr_t, two words
    kShape,     ///< const dim4 *, four words, never NULL
    kStride,    ///< const dim4 *, four words; NULL means the default layout
    kInt,       ///< int, short or unsigned, one word
    kFloat,     ///< float, one word
    kBits,      ///< x32, x16 or x8, one word
    kBool,      ///< bool, one word
    kPadding,   ///< const Padding *, four words; NULL means none
    kStep,      ///< const dim2 *, two words; NULL means (1, 1)
    kOpTypes,   ///< op_type_t, one word
    kMulTypes,  ///< mul_type_t, one word
};

enum class Access : std::uint8_t { kNone, kRead, kWrite, kUpdate };

/// How the elements of a tensor operand are placed (seed, chapter on layouts).
enum class Layout : std::uint8_t {
    kNone,     ///< not a tensor
    kStrided,  ///< by the command's strides
    kAligned,  ///< 128-byte aligned
    kCompact,  ///< compact
    kMatrix,   ///< matrix: aligned, columns spread over channels
    kChosen,   ///< 128-byte aligned or compact, by is_aligned_layout
};

/// Declared properties of one operand, from which argument checks and documentation derive.
struct OperandRules {
    Access access = Access::kNone;
    Layout layout = Layout::kNone;
    std::uint16_t alignment = 0;  ///< bytes; 0: the element's width
    bool same_lane = false;       ///< must start in the lane of the form's first local operand
    bool ranged = false;
    std::int64_t low = 0;                           ///< inclusive, when ranged
    std::int64_t high = 0;                          ///< inclusive, when ranged
    std::int32_t n_max = 0, c_max = 0, hw_max = 0;  ///< shape limits; 0: only positive
    bool w_stride_is_one = false;
};

/// One operand of a form: kind, API name, rules and the place of its words in the record.
struct OperandInfo {
    OperandKind kind;
    const char* name;
    OperandRules rules;
    std::uint8_t first_word;
};

namespace operand_attributes {
constexpr OperandRules plain() { return {}; }
constexpr OperandRules access(Access access, std::uint16_t alignment) {
    OperandRules rules;
    rules.access = access;
    rules.layout = Layout::kStrided;
    rules.alignment = alignment;
    rules.same_lane = true;
    return rules;
}
constexpr OperandRules writes(std::uint16_t alignment) { return access(Access::kWrite, alignment); }
constexpr OperandRules reads(std::uint16_t alignment) { return access(Access::kRead, alignment); }
constexpr OperandRules updates(std::uint16_t alignment) {
    return access(Access::kUpdate, alignment);
}
constexpr OperandRules any_lane(OperandRules rules) {
    rules.same_lane = false;
    return rules;
}
constexpr OperandRules laid_out(Layout layout, OperandRules rules) {
    rules.layout = layout;
    return rules;
}
constexpr OperandRules aligned(OperandRules rules) { return laid_out(Layout::kAligned, rules); }
constexpr OperandRules compact(OperandRules rules) { return laid_out(Layout::kCompact, rules); }
constexpr OperandRules matrix(OperandRules rules) { return laid_out(Layout::kMatrix, rules); }
constexpr OperandRules chosen(OperandRules rules) { return laid_out(Layout::kChosen, rules); }
constexpr OperandRules range(std::int64_t low, std::int64_t high) {
    OperandRules rules;
    rules.ranged = true;
    rules.low = low;
    rules.high = high;
    return rules;
}
constexpr OperandRules shape_range(std::int32_t hw_max) {
    OperandRules rules;
    rules.n_max = 65535;
    rules.c_max = 4095;
    rules.hw_max = hw_max;
    return rules;
}
constexpr OperandRules gdma_shape() { return {}; }
constexpr OperandRules w_is_one() {
    OperandRules rules;
    rules.w_stride_is_one = true;
    return rules;
}
}  // namespace operand_attributes

template <OperandKind kind>
struct OperandType;
template <>
struct OperandType<OperandKind::kLocal> {
    using type = LocalAddr;
};
template <>
struct OperandType<OperandKind::kSystem> {
    using type = SystemAddr;
};
template <>
struct OperandType<OperandKind::kShape> {
    using type = Dim4;
};
template <>
struct OperandType<OperandKind::kStride> {
    using type = Dim4;
};
template <>
struct OperandType<OperandKind::kInt> {
    using type = std::int32_t;
};
template <>
struct OperandType<OperandKind::kFloat> {
    using type = Bits32;
};
template <>
struct OperandType<OperandKind::kBits> {
    using type = Bits32;
};
template <>
struct OperandType<OperandKind::kBool> {
    using type = std::uint32_t;
};
template <>
struct OperandType<OperandKind::kPadding> {
    using type = Padding;
};
template <>
struct OperandType<OperandKind::kStep> {
    using type = Dim2;
};
template <>
struct OperandType<OperandKind::kOpTypes> {
    using type = OpType;
};
template <>
struct OperandType<OperandKind::kMulTypes> {
    using type = MulType;
};

/// Operand lists, one enumerator per form of forms.def.
enum class Form : std::uint8_t {
#define OKKSIM_FORM(name) k##name,
#define OKKSIM_OPERAND(kind, name, rules)
#define OKKSIM_FORM_END(name)
#include "isa/forms.def"
#undef OKKSIM_FORM
#undef OKKSIM_OPERAND
#undef OKKSIM_FORM_END
};

// One struct per form; members are the operands in order, each a whole number of words.
#define OKKSIM_FORM(name) \
    struct name {         \
        static constexpr Form kForm = Form::k##name;
#define OKKSIM_OPERAND(kind, name, rules) OperandType<OperandKind::k##kind>::type name{};
#define OKKSIM_FORM_END(name)                     \
    bool operator==(const name&) const = default; \
    }                                             \
    ;
#include "isa/forms.def"
#undef OKKSIM_FORM
#undef OKKSIM_OPERAND
#undef OKKSIM_FORM_END

/// Operands of a form in record order.
std::span<const OperandInfo> form_operands(Form form);
/// Name of the form, as in forms.def.
const char* form_name(Form form);
/// Words that the operands of a kind occupy in a record.
constexpr int operand_words(OperandKind kind) {
    switch (kind) {
        case OperandKind::kSystem:
        case OperandKind::kStep: return 2;
        case OperandKind::kShape:
        case OperandKind::kStride:
        case OperandKind::kPadding: return 4;
        case OperandKind::kLocal:
        case OperandKind::kInt:
        case OperandKind::kFloat:
        case OperandKind::kBits:
        case OperandKind::kBool:
        case OperandKind::kOpTypes:
        case OperandKind::kMulTypes: return 1;
    }
    return 0;
}
/// Words that all operands of a form occupy.
int form_words(Form form);

}  // namespace okksim::isa
