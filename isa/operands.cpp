// SPDX-License-Identifier: Apache-2.0
#include "isa/operands.h"

#include <array>
#include <cstddef>

#include "isa/errors.h"

namespace okksim::isa {
namespace {

using namespace operand_attributes;

#define OKKSIM_FORM(name)                  \
    constexpr auto table_of(const name*) { \
        using Operands = name; return std::to_array<OperandInfo>({
#define OKKSIM_OPERAND(kind, name, rules) \
    {OperandKind::k##kind, #name, rules,  \
     static_cast<std::uint8_t>(offsetof(Operands, name) / sizeof(std::uint32_t))},
#define OKKSIM_FORM_END(name) \
    });                       \
    }
#include "isa/forms.def"
#undef OKKSIM_FORM
#undef OKKSIM_OPERAND
#undef OKKSIM_FORM_END

template <typename FormStruct>
constexpr auto kTable = table_of(static_cast<const FormStruct*>(nullptr));

}  // namespace

std::span<const OperandInfo> form_operands(Form form) {
    switch (form) {
#define OKKSIM_FORM(name) \
    case Form::k##name:   \
        return kTable<name>;
#define OKKSIM_OPERAND(kind, name, rules)
#define OKKSIM_FORM_END(name)
#include "isa/forms.def"
#undef OKKSIM_FORM
#undef OKKSIM_OPERAND
#undef OKKSIM_FORM_END
    }
    OKKSIM_CHECK(false);
}

const char* form_name(Form form) {
    switch (form) {
#define OKKSIM_FORM(name) \
    case Form::k##name:   \
        return #name;
#define OKKSIM_OPERAND(kind, name, rules)
#define OKKSIM_FORM_END(name)
#include "isa/forms.def"
#undef OKKSIM_FORM
#undef OKKSIM_OPERAND
#undef OKKSIM_FORM_END
    }
    OKKSIM_CHECK(false);
}

int form_words(Form form) {
    const OperandInfo& last = form_operands(form).back();
    return last.first_word + operand_words(last.kind);
}

}  // namespace okksim::isa
