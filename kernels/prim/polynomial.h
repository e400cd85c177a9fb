// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/prim/raw.h"

namespace okksim::kernels::prim {

/// value = c[0] x^n + ... + c[n] by Horner; value and x are different planes. 2n commands.
inline void polynomial(const LocalTensor& value, const LocalTensor& x,
                       std::span<const float> coefficients) {
    raw::multiply(value, x, coefficients[0]);
    raw::add(value, value, coefficients[1]);
    for (const float coefficient : coefficients.subspan(2)) {
        raw::multiply(value, value, x);
        raw::add(value, value, coefficient);
    }
}

}  // namespace okksim::kernels::prim
