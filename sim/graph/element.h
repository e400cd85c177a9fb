// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Returns the exact value of a bit pattern of a floating-point type (kFp8E4M3, kFp8E5M2, kFp16,
/// kBf16, kFp32).
double decode_float(DType type, std::uint32_t bits);

/// Returns the bit pattern of the floating-point value nearest to `value` (ties to even). A value
/// that is too large becomes infinity, or NaN for kFp8E4M3, which has no infinity.
std::uint32_t encode_float(DType type, double value);

/// Packs the low bits of integer, boolean or shape values into a constant's bytes.
std::vector<std::byte> pack_integers(DType type, std::span<const std::int64_t> values);

/// Returns element `index` of a constant's bytes (DType) as an integer. kBool gives 0 or 1;
/// integers and kShape give the signed value. Not for floating-point types.
std::int64_t integer_element(std::span<const std::byte> data, DType type, std::uint64_t index);
/// Returns the bit pattern of element `index` of a floating-point constant.
std::uint32_t float_bits_element(std::span<const std::byte> data, DType type, std::uint64_t index);
/// Returns element `index` of an integer constant, which may be a repeated element.
std::int64_t integer_element(const ConstantData& data, DType type, std::uint64_t index);
/// Returns the number of elements to inspect: 1 for a repeated element, otherwise `count`.
std::uint64_t distinct_elements(const ConstantData& data, std::uint64_t count);

/// Returns all values of an integer, boolean or shape constant. `tensor.has_data` must be true.
std::vector<std::int64_t> integer_values(const Tensor& tensor);

}  // namespace okksim::sim::graph
