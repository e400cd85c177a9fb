// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/base/errors.h"
#include "kernels/prim/value_form.h"

namespace okksim::kernels::prim {

/// Sizes into which values of a form are cut: parts of `part_bits` and multiplier digits of
/// `digit_bits`. |part| <= 2^part_bits times |digit| <= 2^(digit_bits - 1) must be below 2^24
/// units.
struct Cut {
    int parts;
    int part_bits;
    int digit_bits;
};

constexpr Cut cut_of(ValueForm form) {
    switch (form) {
        case ValueForm::kFloat8: return {1, 8, 16};
        case ValueForm::kFloat16: return {1, 16, 8};
        case ValueForm::kFloat24: return {2, 12, 12};
        case ValueForm::kInt32: return {2, 16, 8};
        case ValueForm::kInt48: return {3, 16, 8};
    }
    OKKSIM_CHECK(false);
}

}  // namespace okksim::kernels::prim
