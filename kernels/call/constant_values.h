// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/prim/float_ops.h"

/// Small constants and attributes of operators in the form that kernels use them in.
namespace okksim::kernels {

/// All values of a small constant tensor, by read_values().
std::vector<std::int64_t> all_values(const DeviceTensor& tensor);

/// The first `count` values of stored elements of an integer type (bool, i4 ... i48, shape).
std::vector<std::int64_t> integer_values(tosa::DType type, std::span<const std::byte> bytes,
                                         std::size_t count);

/// The one value of a zero point; 0, without reading it, for floating-point types.
std::int64_t zero_point(const DeviceTensor& tensor);

/// The number that an element of an attribute holds: of a floating-point type (fp16, bf16, fp32),
/// or of i8 or i16.
float float_value(const tosa::ElementBytes& element, tosa::DType type);
int integer_value(const tosa::ElementBytes& element, tosa::DType type);

/// Unknown propagates, as the specification's default does.
prim::NanMode nan_mode(tosa::NanPropagationMode mode);

}  // namespace okksim::kernels
