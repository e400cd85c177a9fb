// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Value of a bit pattern of a floating-point type (kFp8E4M3, kFp8E5M2, kFp16, kBf16, kFp32);
/// exact.
double decode_float(DType type, std::uint32_t bits);

/// Bit pattern of the value of a floating-point type that is nearest to `value` (ties to even);
/// what is too large becomes infinite, and NaN where the type has no infinity (kFp8E4M3).
std::uint32_t encode_float(DType type, double value);

/// Values of an integer, boolean or shape type as a constant's bytes; the low bits of each.
std::vector<std::byte> pack_integers(DType type, std::span<const std::int64_t> values);

/// Element `index` of a constant's bytes (see DType), as an integer: kBool gives 0 or 1, integers
/// and kShape their signed value. Not for floating-point types.
std::int64_t integer_element(std::span<const std::byte> data, DType type, std::uint64_t index);
/// Bit pattern of element `index` of a constant of a floating-point type.
std::uint32_t float_bits_element(std::span<const std::byte> data, DType type, std::uint64_t index);
/// Element `index` of an integer constant, or of one value for all.
std::int64_t integer_element(const ConstantData& data, DType type, std::uint64_t index);
/// Elements that need looking at to know all of them: the first alone of one value for all.
std::uint64_t distinct_elements(const ConstantData& data, std::uint64_t count);

/// All values of an integer, boolean or shape constant. `tensor.has_data` must hold.
std::vector<std::int64_t> integer_values(const Tensor& tensor);

}  // namespace okksim::sim::graph
