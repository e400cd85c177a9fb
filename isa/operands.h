// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "isa/forms.def"
#include "isa/limits.h"
#include "isa/operand_roles.h"
#include "isa/types.h"

namespace okksim::isa {

/// Kind of an operand; selects its C type in the API, its words in a record and its notation.
enum class OperandKind : std::uint8_t {
    kLocal,     ///< local_addr_t, one word
    kSystem,    ///< system_addr_t, two words
    kShape,     ///< const dim4 *, four words, never NULL
    kStride,    ///< const dim4 *, four words; NULL means the default layout
    kInt,       ///< int, one word
    kFloat,     ///< float, one word
    kBits,      ///< x32, x16 or x8, one word
    kBool,      ///< bool, one word
    kPadding,   ///< const Padding *, four words; NULL means none
    kStep,      ///< const dim2 *, two words; NULL means (1, 1)
    kOpTypes,   ///< op_type_t, one word
    kMulTypes,  ///< mul_type_t, one word
    kElement,   ///< okk_element_t, one word

    // Same as kInt in a record; only the C type in the API differs.
    kShort = kInt,
    kUnsigned = kInt,
    kUnsignedShort = kInt,
};

/// Words for operands in a record.
inline constexpr int kOperandWords = 32;

/// Alignment to a vector of the machine (MachineShape::line_bytes).
inline constexpr std::uint16_t kLine = 0xFFFF;

/// The tensors of its command with which a work tensor must not share its address.
enum class Apart : std::uint8_t { kNone, kResult, kResultAndSource };

/// Declared properties of one operand, from which argument checks and documentation derive.
struct OperandRules {
    Access access = Access::kNone;
    Layout layout = Layout::kNone;
    std::uint16_t alignment = 0;  ///< bytes; 0: the element's width; kLine: a vector
    bool same_lane = false;       ///< must start in the lane of the form's first local operand
    bool ranged = false;
    bool is_size = false;                           ///< `high` is a limit of the API reference only
    std::int64_t low = 0;                           ///< inclusive, when ranged
    std::int64_t high = 0;                          ///< inclusive, when ranged
    std::int32_t n_max = 0, c_max = 0, hw_max = 0;  ///< shape limits; 0: only positive
    bool w_stride_is_one = false;
    Apart apart = Apart::kNone;
    ElementTypeSet elements = 0;  ///< of an element type: those allowed
};

/// One operand of a form: kind, API name, rules, and the position of its words in the record.
struct OperandInfo {
    OperandKind kind;
    const char* name;
    OperandRules rules;
    std::uint8_t first_word;
    std::uint8_t tensor = 0;                      ///< of a stride: the tensor operand that uses it
    Layout null_layout = Layout::kNone;           ///< of a stride: meaning of NULL
    std::int8_t present_word = kNoWord;           ///< the flag that a tensor takes part under
    bool is_updated_by_flag = false;              ///< a destination that a flag makes an update
    std::optional<FixedType> constant_type = {};  ///< of a fixed-point constant
    std::int8_t element_word = kNoWord;           ///< of a tensor: its element type
    static constexpr std::int8_t kNoWord = -1;
};

namespace operand_attributes {
constexpr OperandRules plain() { return {}; }
constexpr OperandRules access(Access access, std::uint16_t alignment) {
    OperandRules rules;
    rules.access = access;
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
/// Requires a work tensor at another address than the result, or than result and source.
constexpr OperandRules apart_from_result(OperandRules rules) {
    rules.apart = Apart::kResult;
    return rules;
}
constexpr OperandRules apart(OperandRules rules) {
    rules.apart = Apart::kResultAndSource;
    return rules;
}
constexpr std::uint16_t line() { return kLine; }
constexpr OperandRules range(std::int64_t low, std::int64_t high) {
    OperandRules rules;
    rules.ranged = true;
    rules.low = low;
    rules.high = high;
    return rules;
}
/// Range of a size: `most` is a limit of the API reference, and the model accepts more.
constexpr OperandRules size(std::int64_t low, std::int64_t most) {
    OperandRules rules = range(low, most);
    rules.is_size = true;
    return rules;
}
constexpr OperandRules at_least(std::int64_t low) {
    return range(low, std::numeric_limits<std::int32_t>::max());
}
constexpr OperandRules shape_range(std::int32_t hw_max) {
    OperandRules rules;
    rules.n_max = kMostBatch;
    rules.c_max = kMostChannels;
    rules.hw_max = hw_max;
    return rules;
}
constexpr OperandRules gdma_shape() { return {}; }
constexpr OperandRules elements_of(ElementTypeSet allowed) {
    OperandRules rules;
    rules.elements = allowed;
    return rules;
}
/// Element types of integers that arithmetic takes.
constexpr OperandRules integers() {
    using enum ElementType;
    return elements_of(element_set(kInt8, kUint8, kInt16, kUint16, kInt32));
}
/// Integer types for arithmetic, and accumulators.
constexpr OperandRules scaled_integers() {
    using enum ElementType;
    return elements_of(element_set(kInt8, kUint8, kInt16, kUint16, kInt32, kInt48));
}
constexpr OperandRules numbers() {
    return elements_of(static_cast<ElementTypeSet>((1u << kElementTypes) - 1));
}
/// Element types that the GDMA engine copies.
constexpr OperandRules elements_up_to_a_word() {
    const OperandRules all = numbers();
    return elements_of(
        static_cast<ElementTypeSet>(all.elements & ~element_set(ElementType::kInt48)));
}
constexpr OperandRules only(ElementType type) { return elements_of(element_set(type)); }
constexpr OperandRules halves() {
    return elements_of(element_set(ElementType::kFp16, ElementType::kBf16));
}
constexpr OperandRules floats() {
    return elements_of(element_set(ElementType::kFp16, ElementType::kBf16, ElementType::kFp32));
}
constexpr OperandRules products() {
    return elements_of(element_set(ElementType::kInt8, ElementType::kUint8, ElementType::kInt16));
}
constexpr OperandRules sums_or_results() {
    using enum ElementType;
    return elements_of(element_set(kInt32, kInt48, kInt8, kUint8, kInt16));
}
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
template <>
struct OperandType<OperandKind::kElement> {
    using type = ElementType;
};

/// Operand lists, one enumerator per form of forms.def.
enum class Form : std::uint8_t {
#define OKKSIM_FORM(name) k##name,
    OKKSIM_FORMS(OKKSIM_FORM)
#undef OKKSIM_FORM
};

// One struct per form. Its members are the operands in order, each a whole number of words.
// visit(visitor) calls visitor(kind, name, rules, operand, role) for every operand. It costs
// nothing at run time, because the visitor sees types and constants.
#define OKKSIM_MEMBER(kind, name, rules, role) OperandType<OperandKind::k##kind>::type name{};
#define OKKSIM_VISIT(kind, name, rules, role) \
    visitor(OperandKind::k##kind, #name, rules, name, role);
#define OKKSIM_FORM(form)                                                      \
    struct form {                                                              \
        static constexpr Form kForm = Form::k##form;                           \
        OKKSIM_FORM_##form(OKKSIM_MEMBER) template <typename Visitor>          \
        [[gnu::always_inline]] constexpr void visit(Visitor&& visitor) const { \
            using namespace operand_attributes;                                \
            using namespace roles;                                             \
            OKKSIM_FORM_##form(OKKSIM_VISIT)                                   \
        }                                                                      \
        bool operator==(const form&) const = default;                          \
    };
OKKSIM_FORMS(OKKSIM_FORM)
#undef OKKSIM_FORM
#undef OKKSIM_MEMBER
#undef OKKSIM_VISIT

/// Operands of a form in record order.
std::span<const OperandInfo> form_operands(Form form);
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
        case OperandKind::kMulTypes:
        case OperandKind::kElement: return 1;
    }
    return 0;
}
/// Words that all operands of a form occupy.
int form_words(Form form);

}  // namespace okksim::isa
