// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/prim/float_ops.h"

/// Converts small constants and attributes of operators to the form that kernels need.
namespace okksim::kernels {

/// Reads all values of a small constant tensor with read_values().
std::vector<std::int64_t> all_values(const DeviceTensor& tensor);

/// The first `count` values of stored elements of an integer type (bool, i4 ... i48, shape).
std::vector<std::int64_t> integer_values(tosa::DType type, std::span<const std::byte> bytes,
                                         std::size_t count);

/// The single value of a zero point; 0 without reading it for floating-point types.
std::int64_t zero_point(const DeviceTensor& tensor);

/// Value of an attribute's element of a floating-point type (fp16, bf16, fp32), or of i8 or i16.
float float_value(const tosa::ElementBytes& element, tosa::DType type);
int integer_value(const tosa::ElementBytes& element, tosa::DType type);

/// kUnknown propagates NaN, as the specification's default does.
prim::NanMode nan_mode(tosa::NanPropagationMode mode);

}  // namespace okksim::kernels
