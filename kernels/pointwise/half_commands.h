// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "firmware/okk_features.h"
#include "kernels/tosa/attributes.h"
#include "kernels/tosa/tosa_types.h"

namespace okksim::kernels {

inline constexpr std::size_t kMostHalfOperands = 2;

/// One command on elements of 16 bits at `to` and at the operands' addresses, all of one shape, in
/// its aligned layout, and of one type.
using HalfCommand = std::function<void(local_addr_t to, std::span<const local_addr_t> operands,
                                       const dim4& shape, okk_element_t type)>;

/// The command for an element-wise operator on `type`, fp16 or bf16 (group half_mac); empty where
/// there is none.
HalfCommand half_command(tosa::OpCode op, const tosa::Attributes& attributes, tosa::DType type);

}  // namespace okksim::kernels
