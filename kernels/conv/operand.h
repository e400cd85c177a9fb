// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "kernels/prim/local_tensor.h"
#include "kernels/tensor.h"

/// Operands of products: how elements of a type become fp32 words whose products are exact where
/// they must be. int16 becomes two limbs, multiples of 2^8 and the rest, both as short as int8.
namespace okksim::kernels::conv {

/// Words planes that hold an operand.
inline constexpr int kMostLimbs = 2;
int limbs_of(tosa::DType type);
/// True when the stored elements are not fp32.
bool is_narrow(tosa::DType type);
/// Scratch planes that widen() takes, and one more when targets are not in the aligned layout.
int widen_planes(tosa::DType type);
/// Commands that widen() issues, about.
int widen_commands(tosa::DType type, bool spread);
/// Whether the data mover can bring elements of the type as the low bytes of words.
bool can_spread(tosa::DType type);
/// Largest magnitude of a limb in its unit after the zero point is subtracted; 0: floating point.
std::int64_t largest_limb(tosa::DType type, std::int64_t zero_point);

/// Elements as they were loaded: in the aligned layout of their width, or spread out as the low
/// bytes of words in the aligned layout of words.
struct Loaded {
    local_addr_t address = 0;
    tosa::DType type = tosa::DType::kUnknown;
    bool spread = false;
};

/// Turns loaded elements (any type, fp32 too) into limbs less the zero point. Targets have the
/// elements' shape; they may have strides, and a spread tensor may be its own target. One target
/// per limb, most significant first.
void widen(std::span<const prim::LocalTensor> targets, const Loaded& loaded,
           std::int64_t zero_point, prim::Scratch& scratch);

}  // namespace okksim::kernels::conv
