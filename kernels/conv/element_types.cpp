// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/element_types.h"

#include <algorithm>
#include <cstdlib>

namespace okksim::kernels::conv {

using tosa::DType;

int limbs_of(DType type) { return type == DType::kI16 ? kMostLimbs : 1; }

bool is_narrow(DType type) { return type != DType::kFp32; }

bool can_spread(DType type) { return type == DType::kI8 || type == DType::kI4; }

std::int64_t largest_value(DType type, std::optional<std::int64_t> zero_point) {
    return type == DType::kI16 ? 32768 : largest_limb(type, zero_point);
}

std::int64_t largest_limb(DType type, std::optional<std::int64_t> zero_point) {
    switch (type) {
        // Only int8 has zero points other than 0 (TOSA 1.0.1, 2.3.3).
        case DType::kI4: return 8;
        case DType::kI8: return zero_point ? std::max(*zero_point + 128, 127 - *zero_point) : 255;
        case DType::kI16: return 128;
        case DType::kUnknown:
        case DType::kBool:
        case DType::kI32:
        case DType::kI48:
        case DType::kFp16:
        case DType::kBf16:
        case DType::kFp32:
        case DType::kFp8E4M3:
        case DType::kFp8E5M2:
        case DType::kShape: return 0;
    }
    __builtin_unreachable();
}

}  // namespace okksim::kernels::conv
