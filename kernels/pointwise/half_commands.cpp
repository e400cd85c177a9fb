// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/half_commands.h"

namespace okksim::kernels {

HalfFunction half_function(tosa::OpCode op) {
    switch (op) {
        case tosa::OpCode::kAdd: return okk_bdc_half_add;
        case tosa::OpCode::kSub: return okk_bdc_half_sub;
        case tosa::OpCode::kMul: return okk_bdc_half_mul;
        default: return nullptr;
    }
}

}  // namespace okksim::kernels
