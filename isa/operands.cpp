// SPDX-License-Identifier: Apache-2.0
#include "isa/operands.h"

#include <array>
#include <cstddef>

#include "isa/base/errors.h"

namespace okksim::isa {
namespace {

template <typename Role>
concept Flagged = requires(const Role& role) {
    role.flag;
};

template <typename Role>
struct IsOptional : std::false_type {};
template <typename Role>
struct IsOptional<roles::Optional<Role>> : std::true_type {};

template <typename FormStruct>
constexpr std::size_t operand_count() {
    std::size_t count = 0;
    FormStruct{}.visit([&](auto&&...) { ++count; });
    return count;
}

/// Describes the operands of a form by a visit of an empty command. A role refers to its operands,
/// so the addresses of these references identify the operands.
template <typename FormStruct>
constexpr auto make_table() {
    std::array<OperandInfo, operand_count<FormStruct>()> table{};
    const FormStruct form{};
    std::size_t next = 0;
    std::size_t word = 0;
    form.visit([&]<typename Value, typename Role>(OperandKind kind, const char* name,
                                                  OperandRules rules, const Value&,
                                                  const Role& role) {
        OperandInfo& operand = table[next++];
        if constexpr (Role::kIsTensor) rules.layout = Role::kLayout;
        operand = {kind, name, rules, static_cast<std::uint8_t>(word)};
        if constexpr (std::is_same_v<Role, roles::FixedConstant>) operand.constant_type = role.type;
        word += sizeof(Value) / sizeof(std::uint32_t);
    });
    std::size_t tensor = 0;
    form.visit([&]<typename Role>(OperandKind kind, const char*, const OperandRules&, const auto&,
                                  const Role& role) {
        std::size_t index = 0;
        form.visit([&]<typename Value>(OperandKind, const char*, const OperandRules&,
                                       const Value& value, const auto&) {
            OperandInfo& other = table[index++];
            if constexpr (Flagged<Role> && std::is_same_v<Value, std::uint32_t>) {
                if (&role.flag != &value) return;
                if constexpr (IsOptional<Role>::value) {
                    table[tensor].present_word = static_cast<std::int8_t>(other.first_word);
                } else {
                    table[tensor].is_updated_by_flag = true;
                }
            }
            if constexpr (requires { role.element; } && std::is_same_v<Value, ElementType>) {
                if (static_cast<const void*>(&role.element) != &value) return;
                table[tensor].element_word = static_cast<std::int8_t>(other.first_word);
            }
            if constexpr (requires { Role::kDefault; } && std::is_same_v<Value, Dim4>) {
                if (&role.stride != &value) return;
                other.tensor = static_cast<std::uint8_t>(tensor);
                other.null_layout =
                    kind == OperandKind::kSystem ? Layout::kContinuous : Role::kDefault;
            }
        });
        ++tensor;
    });
    return table;
}

template <typename FormStruct>
constexpr auto kTable = make_table<FormStruct>();

/// Requires addresses first and optional addresses after the others, so that an operand and its
/// tensor have the same index. Every stride must belong to a tensor.
template <std::size_t kCount>
constexpr bool is_well_formed(const std::array<OperandInfo, kCount>& table) {
    int last = 0;  // strided or fixed tensors, then optional ones, then the rest
    for (const OperandInfo& operand : table) {
        const bool is_tensor = operand.rules.access != Access::kNone;
        const bool is_optional = operand.present_word != OperandInfo::kNoWord;
        const int rank = !is_tensor ? 2 : is_optional ? 1 : 0;
        if (rank < last) return false;
        last = rank;
        if (is_tensor != (operand.rules.layout != Layout::kNone)) return false;
        if (operand.kind == OperandKind::kStride && operand.null_layout == Layout::kNone) {
            return false;
        }
    }
    return true;
}

#define OKKSIM_FORM(name)                                                                         \
    static_assert(is_well_formed(kTable<name>),                                                   \
                  "forms.def: in the form " #name                                                 \
                  " addresses come first (optional ones last), every address has a tensor's role" \
                  " and every stride is named by a role");                                        \
    static_assert(sizeof(name) <= kOperandWords * sizeof(std::uint32_t),                          \
                  "forms.def: the operands of the form " #name " do not fit into a record");
OKKSIM_FORMS(OKKSIM_FORM)
#undef OKKSIM_FORM

}  // namespace

std::span<const OperandInfo> form_operands(Form form) {
    switch (form) {
#define OKKSIM_FORM(name) \
    case Form::k##name: return kTable<name>;
        OKKSIM_FORMS(OKKSIM_FORM)
#undef OKKSIM_FORM
    }
    OKKSIM_CHECK(false);
}

int form_words(Form form) {
    const OperandInfo& last = form_operands(form).back();
    return last.first_word + operand_words(last.kind);
}

}  // namespace okksim::isa
