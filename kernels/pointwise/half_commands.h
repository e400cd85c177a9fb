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

/// Issues one command on 16-bit elements of the operands, with the result at `to`. All tensors have
/// one type and one shape, in its aligned layout.
using HalfCommand = std::function<void(local_addr_t to, std::span<const local_addr_t> operands,
                                       const dim4& shape, okk_element_t type)>;

/// Returns the command for an element-wise operator on `type`, fp16 or bf16 (group half_mac); empty
/// if there is none.
HalfCommand half_command(tosa::OpCode op, const tosa::Attributes& attributes, tosa::DType type);

}  // namespace okksim::kernels
