// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/operands.h"

namespace okksim::models {

/// Sources of an element-wise command's arithmetic by the roles of its operands: tensors that are
/// read, a destination that is updated, constants.
template <typename Form>
constexpr int element_sources() {
    int count = 0;
    Form{}.visit([&]<typename Role>(isa::OperandKind, const char*, const isa::OperandRules& rules,
                                    const auto&, const Role&) {
        if constexpr (Role::kIsTensor) {
            if (rules.access != isa::Access::kWrite) ++count;
        } else if constexpr (std::is_same_v<Role, isa::roles::Constant> ||
                             std::is_same_v<Role, isa::roles::FixedConstant>) {
            ++count;
        }
    });
    return count;
}

}  // namespace okksim::models
