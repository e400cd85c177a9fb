// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "kernels/call/tensor.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels {

/// Commands of an element-wise operator on fp32 words in local memory. `dst` may be an operand.
struct FloatBody {
    int planes = 0;  ///< scratch planes that it needs
    std::function<void(const prim::LocalTensor& dst, std::span<const prim::LocalTensor> operands,
                       prim::Scratch& scratch)>
        run;
};

/// Returns the body of an operator on floating-point operands of `type`, which are held as fp32;
/// nothing for other operators.
std::optional<FloatBody> float_body(tosa::OpCode op, const tosa::Attributes& attributes,
                                    tosa::DType type);

}  // namespace okksim::kernels
