// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "kernels/call/tensor.h"
#include "kernels/conv/element_types.h"
#include "kernels/prim/local_tensor.h"

/// Operands of products: how elements become fp32 words whose products are exact where they must
/// be.
namespace okksim::kernels::conv {

/// Scratch planes that widen() takes, and one more when targets are not in the aligned layout.
int widen_planes(tosa::DType type);

/// Elements as they were loaded: in the aligned layout of their width, or spread out as the low
/// bytes of words in the aligned layout of words.
struct Loaded {
    local_addr_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    bool spread = false;
};

/// Turns loaded elements (any type, fp32 too) into limbs less the zero point; fp16 denormals become
/// zero. Targets have the elements' shape; they may have strides, and a spread tensor may be its
/// own target. One target per limb, most significant first.
void widen(std::span<const prim::LocalTensor> targets, const Loaded& loaded,
           std::int64_t zero_point, prim::Scratch& scratch);

}  // namespace okksim::kernels::conv
