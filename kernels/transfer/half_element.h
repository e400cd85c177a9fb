// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "kernels/tosa/tosa_types.h"

namespace okksim::kernels {

/// True for floating point of 16 bits, which commands of the groups half_mac and convert read
/// directly.
constexpr bool is_half(tosa::DType type) {
    return type == tosa::DType::kFp16 || type == tosa::DType::kBf16;
}
/// The element type that those commands use for `type`.
inline okk_element_t half_element(tosa::DType type) {
    OKKSIM_CHECK(is_half(type));
    return type == tosa::DType::kFp16 ? OKK_FP16 : OKK_BF16;
}

}  // namespace okksim::kernels
